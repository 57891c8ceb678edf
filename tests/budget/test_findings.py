"""Findings for a linter, without codes."""

from __future__ import annotations

import pytest

from rftconf.budget import findings
from rftconf.errors import UsageError
from rftconf.plan.index import fields
from tests.budget.runs import apart, colocated, golden

FRACTION = "actor_rollout_ref.rollout.gpu_memory_utilization"


def rules(plan: object, gpu: str | None = None) -> list[str]:
    return [f.rule for f in findings(plan, gpu)]  # type: ignore[arg-type]


def test_a_good_run_has_none() -> None:
    assert rules(colocated(), "h100-80g") == []


@pytest.mark.parametrize(
    ("changes", "gpu", "rule"),
    [
        ((), "rtx-4090", "will-not-fit"),
        ((f"{FRACTION}=0.8",), "h100", "little-headroom"),
        (
            (f"{FRACTION}=0.2", "actor_rollout_ref.actor.ppo_max_token_len_per_gpu=4096"),
            "b300",
            "half-the-memory-unused",
        ),
        ((f"{FRACTION}=0.1",), "h100", "cache-holds-no-request"),
    ],
)
def test_memory(changes: tuple[str, ...], gpu: str, rule: str) -> None:
    assert rule in rules(colocated(*changes), gpu)


def test_layout_needs_no_gpu() -> None:
    assert rules(colocated("actor_rollout_ref.rollout.tensor_model_parallel_size=3")) == [
        "gpus-do-not-add-up",
        "parallel-size-does-not-divide",
    ]
    assert "batch-does-not-feed-all-ranks" in rules(golden("grpo-guide-back"))


def test_idle_gpus() -> None:
    plan = apart(nodes=1, engines=1).model_copy(deep=True)
    plan.stages[0].placement.actor.gpus = 4
    assert "gpus-idle" in rules(plan)


def test_paths_are_fields_of_the_plan() -> None:
    known = set(fields())
    for one in findings(colocated(f"{FRACTION}=0.1"), "rtx-4090"):
        assert set(one.paths) <= known, one


def test_an_unknown_model_is_an_error_not_a_finding() -> None:
    with pytest.raises(UsageError, match="not in the table"):
        findings(colocated("actor_rollout_ref.model.path=/models/own-7b"), "h100")
