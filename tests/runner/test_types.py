"""Number types: those that the runner learns in, and that every role computes in one."""

from __future__ import annotations

import pytest
from rftconf_runner.refusals import refusals

from tests.runner.test_job import MIXED, plan

ACTOR, REF = "actor_rollout_ref__actor__fsdp_config__", "actor_rollout_ref__ref__fsdp_config__"
COMPARES = {"actor_rollout_ref__actor__use_kl_loss": "True"}


def paths(**changes: str) -> list[str]:
    return [refusal.path.removeprefix("stage.placement.") for refusal in refusals(plan(**changes))]


def test_sixteen_bits_with_a_short_exponent_are_not_learned_in() -> None:
    """Without a scaled loss they make NaN of the first update: AdamW's 1e-8 is 0 in them."""
    half = {f"{ACTOR}{name}": "float16" for name in ("dtype", "model_dtype")}
    assert paths(**half, actor_rollout_ref__rollout__dtype="float16") == ["actor.compute_dtype"]


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
