"""What veRL 0.2.0 counts otherwise than today, read as a plan and written from one."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Options, convert_loaded, plan_of
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes

KEYS = {
    "algorithm.adv_estimator": "gae",
    "data.train_batch_size": 128,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 64,
    "critic.ppo_mini_batch_size": 64,
    "actor_rollout_ref.rollout.n": 8,
    "actor_rollout_ref.rollout.name": "vllm",
    "trainer.total_training_steps": 100,
}


def document(*more: str) -> Document:
    lines = [f"{key}={value}" for key, value in KEYS.items()]
    return read(from_bytes("run.txt", "\n".join([*lines, *more]).encode()))


@pytest.mark.parametrize(
    ("release", "backend", "actor", "critic"),
    [
        ("0.2.0", "fsdp", 512, 64),  # fsdp_workers: the actor's `*= rollout.n`, which the critic's lacks
        ("0.2.0", "megatron", 64, 64),  # megatron_workers divides by the ranks alone
        ("0.3.0", "fsdp", 512, 512),
        ("0.3.0", "megatron", 512, 512),
    ],
)
def test_whose_mini_batch_is_multiplied_by_the_group(release: str, backend: str, actor: int, critic: int) -> None:
    strategies = (f"actor_rollout_ref.actor.strategy={backend}", f"critic.strategy={backend}")
    batch = plan_of(document(*strategies), framework="verl", release=release).stages[0].batch
    assert batch is not None
    assert (batch.sequences_per_update, batch.critic_sequences_per_update) == (actor, critic)


@pytest.mark.parametrize(("release", "periods"), [("0.2.0", 99), ("0.3.0", 100)])
def test_the_last_step_is_left_out(release: str, periods: int) -> None:
    length = plan_of(document(), framework="verl", release=release).stages[0].run_length
    assert length is not None
    assert length.rollouts == periods


TRINITY = """
mode: both
algorithm: {algorithm_type: ppo, repeat_times: 8}
model: {model_path: Qwen/Qwen2.5-7B-Instruct, max_prompt_tokens: 512, max_response_tokens: 1024}
cluster: {node_num: 1, gpu_per_node: 8}
buffer:
  batch_size: 64
  total_steps: 100
  explorer_input: {taskset: {name: t, path: /d, storage_type: file, split: train}}
explorer: {rollout_model: {engine_num: 4, tensor_parallel_size: 1}}
synchronizer: {sync_method: nccl, sync_interval: 1}
"""


@pytest.mark.parametrize(("release", "steps"), [("0.2.0", 101), ("0.3.0", 100)])
def test_it_is_written_so_that_the_release_does_the_same(release: str, steps: int) -> None:
    source = load(read(from_bytes("run.yaml", TRINITY.encode())), framework="trinity")
    done = convert_loaded(source, "verl", Options(release))
    out = {line.key: line.value for line in done.ledger.targets}
    assert out["trainer.total_training_steps"] == steps
    assert out["actor_rollout_ref.actor.ppo_mini_batch_size"] == 64
