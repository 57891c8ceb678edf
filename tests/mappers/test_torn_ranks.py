"""A data-parallel rank that takes more GPUs than there are: the sizes are named, and no part of a rank."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

ACTOR = "actor_rollout_ref.actor."
RUN = (
    "data.train_batch_size=256", "data.max_prompt_length=1024", "data.max_response_length=1024",
    "algorithm.adv_estimator=grpo", "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct",
    f"{ACTOR}ppo_mini_batch_size=64", f"{ACTOR}ppo_micro_batch_size_per_gpu=4", f"{ACTOR}ulysses_sequence_parallel_size=4",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4", "actor_rollout_ref.rollout.name=vllm",
    "actor_rollout_ref.rollout.tensor_model_parallel_size=1", "actor_rollout_ref.rollout.n=4",
    "trainer.total_training_steps=100", "trainer.n_gpus_per_node=2", "trainer.nnodes=1",
)  # fmt: skip


@pytest.mark.parametrize("to", ["roll", "chatlearn"])
def test_the_sizes_are_the_cause(to: str) -> None:
    text = "python3 -m verl.trainer.main_ppo " + " ".join(RUN) + "\n"
    with pytest.raises(RefusedError) as refused:
        convert(read(Source("run.sh", text)), to)
    assert "a data-parallel rank takes 4 (sp 4)" in str(refused.value)
    assert "0.5" not in str(refused.value)
    assert refused.value.choices == ("4 GPUs", "smaller parallel sizes")


def test_a_config_of_trinity_says_it_of_itself() -> None:
    text = (
        "mode: both\nalgorithm: {algorithm_type: grpo, repeat_times: 8}\nmodel: {model_path: m/m}\n"
        "cluster: {node_num: 1, gpu_per_node: 4}\nbuffer: {batch_size: 64, total_steps: 10}\n"
        "explorer: {rollout_model: {engine_num: 2}}\ntrainer: {ulysses_sequence_parallel_size: 4}\n"
    )
    notes = " ".join(convert(read(Source("run.yaml", text)), "trinity", framework="trinity").ledger.notes)
    assert "a data-parallel rank takes 4 (sp 4)" in notes
    assert "0.5" not in notes
