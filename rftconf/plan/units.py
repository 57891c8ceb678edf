"""A unit tells what a number counts. Every count of work is worth some number of sequences, so any two convert.

A rollout period is worth `B*n` sequences, an optimizer update `G/E`, a prompt `n`; an explore step is worth
what one explorer batch produces. `Rates` holds those worths for one plan; they may be expressions over unknown names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from rftconf.base.errors import UncountableError
from rftconf.base.older_python import StrEnum
from rftconf.base.symbols import Arith, Expr, Number, arith


class Unit(StrEnum):
    """The unit of a number in a config or in the plan."""

    PROMPTS = "prompts"
    SEQUENCES = "sequences"
    SEQUENCES_PER_RANK = "sequences per data-parallel rank"
    TOKENS = "tokens"
    TOKENS_PER_RANK = "tokens per data-parallel rank"
    TOKENS_PER_GPU = "tokens per GPU"
    ROLLOUTS = "rollout periods"
    UPDATES = "optimizer updates"
    TRAIN_STEPS = "train steps"
    EXPLORE_STEPS = "explore steps"
    LR_TICKS = "learning-rate scheduler ticks"
    GPUS = "GPUs"
    NODES = "nodes"


def exact_quotient(top: Number, bottom: Number) -> Number | Fraction:
    """Divide; where everything that is not known cancels (`5 * BS / (4 * BS)`) the quotient is an exact number."""
    quotient = arith("/", top, bottom)
    if isinstance(quotient, Arith) and isinstance(quotient.left, int) and isinstance(quotient.right, int):
        return Fraction(quotient.left, quotient.right)
    return quotient


@dataclass(frozen=True, slots=True)
class Rates:
    """The number of sequences (or tokens) that one of each unit is worth in one plan."""

    worth: Mapping[Unit, Number]

    def convert(self, value: Number, source: Unit, target: Unit) -> Number | Fraction:
        """`value` counted in `source`, counted in `target`: an int where it is whole, else a Fraction.

        Raises KeyError when the plan does not yet tell what one of the units is worth, or that it is worth nothing.
        """
        if source is target:
            return value
        mine, theirs = self.worth[source], self.worth[target]
        if mine == theirs:
            return value
        if theirs == 0:
            raise UncountableError(f"how much one of the {target.value} is (0 by this config)")
        if isinstance(value, Expr) or isinstance(mine, Expr) or isinstance(theirs, Expr):
            return exact_quotient(arith("*", value, mine), theirs)
        exact = Fraction(value) * Fraction(mine) / Fraction(theirs)
        return int(exact) if exact.denominator == 1 else exact
