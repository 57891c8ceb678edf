"""Number types: those that the runner learns in, and that every role computes in one."""

from __future__ import annotations

import pytest
from rftconf_runner.acceptance import accepted
from rftconf_runner.refusals import refusals

from rftconf.budget.placing.back_end import Gpus
from rftconf.budget.placing.place import place_plan
from rftconf.load.load import load
from rftconf.plan.identity import math_id
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_job import MIXED, plan

ACTOR, REF = "actor_rollout_ref__actor__fsdp_config__", "actor_rollout_ref__ref__fsdp_config__"
COMPARES = {"actor_rollout_ref__actor__use_kl_loss": "True"}


def paths(**changes: str) -> list[str]:
    return [refusal.path.removeprefix("stage.placement.") for refusal in refusals(plan(**changes))]


def megatrons(**changes: str) -> Plan:
    """A plan of veRL's Megatron trainer in float16, placed as the command places it."""
    values = {
        "data__train_files": "/d/a.parquet",
        "data__val_files": "/d/b.parquet",
        "data__train_batch_size": "64",
        **MEGATRON,
        **changes,
    }
    words = " ".join(f"{key.replace('__', '.')}={value}" for key, value in values.items())
    script = f"python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer {words}\n"
    whole = load(read(Source("run.sh", script)), framework="verl", release="0.7.1", rows=7473).plan
    return place_plan(whole, Gpus(1, 8)).plan


MEGATRON = {
    "actor_rollout_ref__model__path": "Qwen/Qwen3-8B-Base",
    "actor_rollout_ref__rollout__name": "vllm",
    "actor_rollout_ref__rollout__dtype": "float16",
    "actor_rollout_ref__rollout__n": "8",
    "actor_rollout_ref__actor__megatron__dtype": "float16",
    "actor_rollout_ref__actor__ppo_mini_batch_size": "32",
    "actor_rollout_ref__actor__ppo_micro_batch_size_per_gpu": "2",
    "actor_rollout_ref__rollout__log_prob_micro_batch_size_per_gpu": "4",
    "algorithm__adv_estimator": "grpo",
    "trainer__n_gpus_per_node": "8",
}


def test_megatrons_sixteen_bits_scale_the_loss() -> None:
    """verl/utils/megatron/optimizer.py: 32768 at first; Megatron doubles it after 1000 updates without an overflow."""
    new_plan = megatrons()
    job, refused = accepted(new_plan)
    assert refused == []
    assert job is not None
    assert (job.dtype, job.stored, job.optimizer.scale) == ("float16", "float32", (32768.0, 1000))
    assert math_id(new_plan) == math_id(place_plan(new_plan, Gpus(1, 8)).plan)


def test_another_scale_is_refused_by_name() -> None:
    key = "+actor_rollout_ref__actor__optim__override_optimizer_config__initial_loss_scale"
    name = "extensions.verl.actor_rollout_ref.actor.optim.override_optimizer_config.initial_loss_scale"
    assert [refusal.path for refusal in refusals(megatrons(**{key: "1024"}))] == [name]


def test_another_frameworks_scale_is_not_known() -> None:
    new_plan = megatrons()
    new_plan.extensions["roll"] = new_plan.extensions.pop("verl")
    new_plan.source.framework = "roll"
    assert "stage.placement.actor.compute_dtype" in [refusal.path for refusal in refusals(new_plan)]


def test_sixteen_bits_with_a_short_exponent_are_not_learned_in_otherwise() -> None:
    """Without a scaled loss they make NaN of the first update: AdamW's 1e-8 is 0 in them."""
    half = {f"{ACTOR}{name}": "float16" for name in ("dtype", "model_dtype")}
    refused = paths(**half, actor_rollout_ref__rollout__dtype="float16")
    assert set(refused) == {"actor.model_dtype", "actor.compute_dtype"}


@pytest.mark.parametrize(
    ("name", "value", "refused"),
    [
        ("dtype", "bfloat16", ["reference.compute_dtype"]),
        ("model_dtype", "bfloat16", ["reference.model_dtype"]),
        ("dtype", "fp32", []),
        ("ulysses_sequence_parallel_size", "2", []),
    ],
)
def test_a_reference_is_kept_and_computed_as_the_policy_is(name: str, value: str, refused: list[str]) -> None:
    assert paths(**{f"{REF}{name}": value}) == []
    assert paths(**COMPARES, **{f"{REF}{name}": value}) == refused


def test_a_reference_elsewhere_is_refused_where_one_is_needed() -> None:
    new_plan = plan(**COMPARES)
    new_plan.stages[0].placement.reference.backend = "megatron"
    assert [refusal.path for refusal in refusals(new_plan)] == ["stage.placement.reference.backend"]


def test_what_follows_from_another_back_end_is_not_said() -> None:
    new_plan = plan(**COMPARES)
    new_plan.stages[0].placement.actor.backend = "megatron"
    new_plan.stages[0].placement.actor.compute_dtype, new_plan.stages[0].placement.rollout.dtype = None, "bfloat16"
    assert [refusal.path for refusal in refusals(new_plan)] == ["stage.placement.actor.backend"]


def test_the_frameworks_own_types_with_a_reference() -> None:
    assert paths(**MIXED, **COMPARES, **{f"{REF}dtype": "bfloat16"}) == []
