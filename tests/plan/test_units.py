"""Any count of work converts into any other through sequences, exactly and back."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.symbols import Expr, Var, names_in
from rftconf.plan.substitution import substitute
from rftconf.plan.units import Rates, Unit

WORK = (Unit.PROMPTS, Unit.SEQUENCES, Unit.ROLLOUTS, Unit.UPDATES, Unit.TRAIN_STEPS, Unit.EXPLORE_STEPS)
worths = st.fixed_dictionaries({unit: st.integers(1, 4096) for unit in WORK})
units = st.sampled_from(WORK)


@given(worths, units, units, st.integers(0, 10**6))
def test_there_and_back_is_the_same_number(worth: dict[Unit, int], first: Unit, second: Unit, count: int) -> None:
    rates = Rates(worth)
    target: Any = rates.convert(count, first, second)
    assert rates.convert(target, second, first) == count


@given(worths, units, units, units, st.integers(0, 10**6))
def test_the_way_does_not_matter(worth: dict[Unit, int], first: Unit, by: Unit, second: Unit, count: int) -> None:
    rates = Rates(worth)
    half: Any = rates.convert(count, first, by)
    assert rates.convert(half, by, second) == rates.convert(count, first, second)


def test_a_mini_batch_in_prompts_and_sequences() -> None:
    rates = Rates({Unit.PROMPTS: 8, Unit.SEQUENCES: 1})
    assert rates.convert(256, Unit.PROMPTS, Unit.SEQUENCES) == 2048
    assert rates.convert(2049, Unit.SEQUENCES, Unit.PROMPTS) == Fraction(2049, 8)


def test_whole_results_are_ints() -> None:
    rates = Rates({Unit.ROLLOUTS: 4096, Unit.TRAIN_STEPS: 1024})
    steps = rates.convert(20, Unit.ROLLOUTS, Unit.TRAIN_STEPS)
    assert steps == 80
    assert type(steps) is int


def test_what_is_not_known_is_an_error_that_names_it() -> None:
    with pytest.raises(KeyError):
        Rates({Unit.PROMPTS: 8}).convert(1, Unit.PROMPTS, Unit.GPUS)


def test_the_same_unit_needs_no_worth() -> None:
    assert Rates({}).convert(7, Unit.GPUS, Unit.GPUS) == 7


@given(st.integers(1, 64), st.integers(1, 512))
def test_unknown_factors_give_expressions_that_compute_the_same(n: int, prompts: int) -> None:
    unknown = Rates({Unit.PROMPTS: Var("N"), Unit.SEQUENCES: 1}).convert(prompts, Unit.PROMPTS, Unit.SEQUENCES)
    assert isinstance(unknown, Expr)
    assert names_in(unknown) == {"N"}
    assert substitute(unknown, {"N": n}) == Rates({Unit.PROMPTS: n, Unit.SEQUENCES: 1}).convert(
        prompts, Unit.PROMPTS, Unit.SEQUENCES
    )


def test_equal_unknown_worths_cancel() -> None:
    worth = Var("B")
    assert Rates({Unit.TRAIN_STEPS: worth, Unit.ROLLOUTS: worth}).convert(5, Unit.TRAIN_STEPS, Unit.ROLLOUTS) == 5


def test_what_cancels_to_a_part_of_one_is_exact() -> None:
    """20 updates where a scheduler tick is 16 of them: a shell would cut $((5 / 4)) to 1."""
    batch = Var("BATCH")
    rates = Rates({Unit.UPDATES: batch, Unit.LR_TICKS: batch * 16})
    assert rates.convert(20, Unit.UPDATES, Unit.LR_TICKS) == Fraction(5, 4)
