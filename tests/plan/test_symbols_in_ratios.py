"""A count that may be a fraction is written as an expression where nobody tells it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rftconf.base.symbols import OpenKey, Var, arith
from rftconf.plan.model import CriticOptions


@pytest.mark.parametrize("value", [Var("N"), OpenKey("critic_warmup"), arith("/", Var("N"), 3)])
def test_a_symbol_is_an_object(value: object) -> None:
    written = CriticOptions.model_validate({"warmup_rollouts": value}).model_dump(mode="json")["warmup_rollouts"]
    assert set(written) == {"$expr", "tree"}


def test_a_fraction_is_a_text() -> None:
    assert (
        CriticOptions.model_validate({"warmup_rollouts": Fraction(25, 4)}).model_dump(mode="json")["warmup_rollouts"]
        == "25/4"
    )
