"""The derived totals: a worked example, and what is not known."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.symbols import Var, formula
from rftconf.plan.totals import TOTALS, total_json, totals

WORKED: dict[str, Any] = {
    "stage.kind": "rl",
    "stage.batch.prompts_per_rollout": 1024,
    "stage.batch.responses_per_prompt": 8,
    "stage.batch.sequences_per_update": 2048,
    "stage.batch.passes": 1,
    "stage.batch.micro.dynamic": False,
    "stage.batch.micro.sequences_per_rank": 4,
    "stage.sync.every_rollouts": 1,
    "stage.sync.run_ahead_rollouts": 0,
    "stage.run_length.rollouts": 105,
    "stage.placement.actor.gpus": 8,
    "stage.placement.actor.sp": 1,
    "stage.placement.rollout.gpus": 8,
    "stage.placement.rollout.tp": 2,
}


def test_the_worked_example() -> None:
    values = totals(WORKED)
    assert values["sequences per period"] == 8192
    assert values["prompts per update"] == 256
    assert values["updates per period"] == 4
    assert values["updates in all"] == 420
    assert values["staleness at most"] == 0
    assert values["data-parallel ranks"] == 8
    assert values["micro-batches per rank and update"] == 64
    assert values["engines"] == 4


def test_a_plan_with_broken_prompts_per_update() -> None:
    values = totals({**WORKED, "stage.batch.prompts_per_rollout": 800, "stage.batch.responses_per_prompt": 12,
                    "stage.batch.sequences_per_update": 1600})  # fmt: skip
    assert values["prompts per update"] == Fraction(400, 3)
    assert values["updates per period"] == 6
    assert total_json(values["prompts per update"]) == "400/3"


@pytest.mark.parametrize(("every", "ahead", "stale"), [(1, 0, 0), (1, 0.25, 1), (1, 1, 1), (4, 0, 3), (2, 1.5, 3)])
def test_staleness(every: int, ahead: float, stale: int) -> None:
    values = totals({**WORKED, "stage.sync.every_rollouts": every, "stage.sync.run_ahead_rollouts": ahead})
    assert values["staleness at most"] == stale


def test_what_is_not_told_stays_a_formula() -> None:
    values = totals({**WORKED, "stage.batch.prompts_per_rollout": Var("BS")})
    assert formula(values["sequences per period"]) == "BS * 8"
    assert formula(values["updates per period"]) == "BS / 256"


def test_nothing_is_made_up() -> None:
    assert set(totals({}).values()) == {None}
    wrong = {"stage.batch.prompts_per_rollout": "many", "stage.batch.responses_per_prompt": [8],
             "stage.sync.run_ahead_rollouts": float("inf"), "stage.sync.every_rollouts": 1}  # fmt: skip
    assert set(totals(wrong).values()) == {None}


def test_a_supervised_run_has_no_rollouts() -> None:
    values = totals({**WORKED, "stage.kind": "sft"})
    assert values["prompts per period"] is None
    assert values["sequences in all"] == 105 * 2048
    assert values["updates in all"] == 105


@given(
    st.tuples(*[st.integers(1, 10**6)] * 4),
)
def test_totals_add_up(numbers: tuple[int, int, int, int]) -> None:
    prompts, n, update, periods = numbers
    values = totals({**WORKED, "stage.batch.prompts_per_rollout": prompts, "stage.batch.responses_per_prompt": n,
                    "stage.batch.sequences_per_update": update, "stage.run_length.rollouts": periods})  # fmt: skip
    assert values["updates in all"] * update == values["sequences in all"] == prompts * n * periods
    assert values["prompts per update"] * n == update


def test_names_are_unique() -> None:
    assert len({total.name for total in TOTALS}) == len(TOTALS)
