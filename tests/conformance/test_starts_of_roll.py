"""ROLL's start judge: it starts what starts, and stops where ROLL's own workers stop though the loader takes the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conformance.conversions import converted_script, judge
from tests.conformance.environment import ROLL_TARGETS, Target
from tests.conformance.judging import Bench

VERL = (
    "python3 -m verl.trainer.main_ppo {words} data.train_batch_size=64 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet actor_rollout_ref.model.path=/m/q actor_rollout_ref.actor.ppo_mini_batch_size=64"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
    " actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 trainer.total_training_steps=10"
    " trainer.n_gpus_per_node=8 critic.ppo_micro_batch_size_per_gpu=4 critic.model.path=/m/q"
)
FSDP = "algorithm.adv_estimator=grpo"
MEGATRON = "--config-name=ppo_megatron_trainer algorithm.adv_estimator=grpo actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2"
GOOD = {
    "fsdp": FSDP,
    "megatron": MEGATRON,
    "adapter": f"{FSDP} actor_rollout_ref.model.lora_rank=32 actor_rollout_ref.model.target_modules=all-linear",
    "adapter in Megatron": f"{MEGATRON} actor_rollout_ref.model.lora.rank=32",
    "critic": "algorithm.adv_estimator=gae",
    "critic in Megatron": "--config-name=ppo_megatron_trainer algorithm.adv_estimator=gae",
}


@dataclass(frozen=True, slots=True)
class Break:
    """A change to a good file that the loader takes: what of `old` becomes `new`, and the words ROLL stops with."""

    case: str
    old: str
    new: str
    says: str


BREAKS = {
    "a key that TrainingArguments lacks": Break(
        "megatron", "use_distributed_optimizer:", "num_layers_in_first_pipeline_stage:", "unexpected keyword argument"
    ),
    "a critic without its kind": Break(
        "critic", "model_type: trl", "model_type: auto_sequence_classification", "NotImplementedError"
    ),
    "a word for all layers": Break(
        "adapter",
        "lora_target: q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj",
        "lora_target: all-linear",
        "target",
    ),
}
NEWEST = ROLL_TARGETS[-1:]


def written(target: Target, case: str, folder: Path) -> Path:
    return converted_script(VERL.format(words=GOOD[case]), target, folder)


@pytest.mark.parametrize("target", ROLL_TARGETS[-2:], ids=str)
@pytest.mark.parametrize("case", GOOD)
def test_a_conversion_starts(bench: Bench, target: Target, case: str, tmp_path: Path) -> None:
    verdict = judge(bench, target, written(target, case, tmp_path), tmp_path)
    assert verdict.ok, str(verdict)
    assert verdict.stage == "start"


@pytest.mark.parametrize("target", NEWEST, ids=str)
@pytest.mark.parametrize("name", BREAKS)
def test_what_stops_the_workers_stops_the_judge(bench: Bench, target: Target, name: str, tmp_path: Path) -> None:
    change = BREAKS[name]
    file = written(target, change.case, tmp_path)
    text = file.read_text()
    assert change.old in text
    file.write_text(text.replace(change.old, change.new))
    verdict = judge(bench, target, file, tmp_path)
    assert (verdict.ok, verdict.stage) == (False, "start"), str(verdict)
    assert change.says in verdict.error
