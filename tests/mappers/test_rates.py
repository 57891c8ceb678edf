"""Arithmetic that the counters of every framework share."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.symbols import Var, formula
from rftconf.mappers.rates import divisor_of, longest_sample, periods_of_epochs
from rftconf.mappers.shapes import Pair
from rftconf.mappers.writing import Writing
from tests.mappers.test_shapes import FIELD, KEY, table

RUN = "stage.run_length."


def periods(rows: Any, *, drops: bool = False, **plan: Any) -> Any:
    values = {"stage.batch.prompts_per_rollout": 30, **{RUN + name: value for name, value in plan.items()}}
    return periods_of_epochs(Writing(table(Pair(KEY, FIELD)), "roll", "0.3.0", "rlvr", values, {}), rows, drops=drops)


@pytest.mark.parametrize(
    ("last", "drops", "count"), [("drop", False, 6), ("carry", False, 8), ("carry", True, 6), (None, False, 6)]
)
def test_epochs_are_periods_by_the_rule_for_the_last_batch(last: str | None, drops: bool, count: int) -> None:
    """80 rows are two periods of 30 prompts and a rest of 20: three epochs are six, or eight where rests are carried."""
    assert periods(80, epochs=3, last_partial=last, drops=drops) == count


def test_epochs_of_unknown_rows_stay_an_expression() -> None:
    assert formula(periods(Var("ROWS"), epochs=2)) == "ROWS // 30 * 2"
    assert periods(80) is None


@pytest.mark.parametrize(("prompt", "answer", "tokens"), [(512, 1024, 1536), (Var("P"), 1024, None), (512, None, None)])
def test_the_longest_sample_is_the_longest_prompt_and_answer(prompt: Any, answer: Any, tokens: int | None) -> None:
    values = {"stage.length.prompt_max_tokens": prompt, "stage.length.response_max_tokens": answer}
    assert longest_sample(Writing(table(Pair(KEY, FIELD)), "roll", "0.3.0", "rlvr", values, {})) == tokens


@pytest.mark.parametrize(
    ("whole", "wish", "size"), [(12, 5, 4), (12, 12, 12), (12, None, 1), (12, 2.5, 2), (None, 5, 5), (0, 5, 5)]
)
def test_a_wish_becomes_the_largest_divisor_below_it(whole: Any, wish: Any, size: int) -> None:
    assert divisor_of(whole, wish) == size
    assert divisor_of(Var("GPUS"), wish) == max(1, int(wish or 1))
    assert divisor_of(whole, Var("TP")) == Var("TP")
