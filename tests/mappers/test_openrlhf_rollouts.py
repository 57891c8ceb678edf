"""Prompts of an OpenRLHF rollout by release, and GPUs of a critic that leaves the shared ones."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.load.load import load
from rftconf.load.stage import StageRead
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.test_openrlhf import BASE, command

PROMPTS = "stage.batch.prompts_per_rollout"
FLAT: dict[str, Any] = {
    "pretrain": "m", "prompt_data": "org/rows", "remote_rm_url": "http://rewards", "advantage_estimator": "group_norm",
    "rollout_batch_size": 64, "n_samples_per_prompt": 8, "train_batch_size": 128, "colocate_all_models": True,
    "actor_num_gpus_per_node": 8, "ref_num_gpus_per_node": 8, "vllm_num_engines": 8,
}  # fmt: skip


def stage(flags: dict[str, Any], release: str) -> StageRead:
    return load(read(Source("run.sh", command(flags))), framework="openrlhf", release=release).stages[0]


@pytest.mark.parametrize(
    ("release", "at_once", "filtered", "prompts"),
    [
        ("0.8.11", 32, False, 32),  # the data loader hands out so many
        ("0.8.11", 96, False, 96),
        ("0.8.11", 32, True, 64),  # a filter goes on until the rollout is full
        ("0.9.4", 32, False, 64),  # nothing reads it
        ("0.10.0", 32, False, 32),  # a rollout takes what there is
        ("0.10.0", 96, False, 64),  # the rest waits for the next one
        ("0.10.0", None, False, 64),
    ],
)
def test_prompts_at_once_are_a_rollout_nothing_or_a_bound(
    release: str, at_once: int | None, filtered: bool, prompts: int
) -> None:
    flags = {**FLAT, "vllm_generate_batch_size": at_once, "dynamic_filtering": True if filtered else None}
    assert stage(flags, release).values[PROMPTS] == prompts


def test_what_waits_for_the_next_rollout_is_kept_beside_the_plan() -> None:
    reading = stage({**FLAT, "vllm_generate_batch_size": 96}, "0.10.0").reading
    assert reading.beyond == {"rollout.vllm_generate_batch_size": 96}
    unread = stage({**FLAT, "vllm_generate_batch_size": 96}, "0.9.4").reading
    assert "nothing reads it" in unread.inactive["rollout.vllm_generate_batch_size"]


@pytest.mark.parametrize(("colocated_critic", "nodes"), [(None, 1), (True, 2)])
def test_a_critic_that_leaves_the_shared_gpus_takes_as_many_more(colocated_critic: bool | None, nodes: int) -> None:
    flags = {
        **BASE, "algo.advantage.estimator": "gae", "train.colocate_critic_reward": colocated_critic,
        "critic.num_gpus_per_node": 8, "reward.num_gpus_per_node": 8,
    }  # fmt: skip
    read_stage = stage(flags, "0.11.2")
    assert (read_stage.values["cluster.nodes"], read_stage.values["cluster.gpus_per_node"]) == (nodes, 8)
