"""Converts one framework's step counter to another's: what one step of each is worth in rollout periods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rftconf.base.errors import UsageError
from rftconf.mappers.logged import Counter
from rftconf.metrics.naming import counters_of
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading

_SIZES = ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update")


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of a logged value: its counter, and by how many periods the weights it speaks of are older."""

    counter: Counter
    behind: int = 0


@dataclass(frozen=True, slots=True)
class Steps:
    """The number of each unit in one rollout period; a unit that is not here is not known."""

    per_period: Mapping[Unit, Fraction] = field(default_factory=lambda: {Unit.ROLLOUTS: Fraction(1)})

    def knows(self, source: Moment, target: Moment) -> bool:
        """True when a step of one can be told in steps of the other."""
        alike = source.counter.unit is target.counter.unit and source.behind == target.behind
        return alike or {source.counter.unit, target.counter.unit} <= set(self.per_period)

    def convert(self, step: Fraction, source: Moment, target: Moment) -> Fraction:
        """The target's step at which it logs what the source logs at `step`: by the same weights, not by the same number.

        What is measured before training starts counts as measured with the first weights.
        """
        done = step - source.counter.first + 1
        if source.counter.unit is target.counter.unit and source.behind == target.behind:
            return done + target.counter.first - 1
        return (self.periods(step, source) + target.behind) * self._a_period(target) + target.counter.first - 1

    def periods(self, step: Fraction, moment: Moment) -> Fraction:
        """Return how many rollout periods the weights were trained for that a value logged at `step` was measured with."""
        periods = (step - moment.counter.first + 1) / self._a_period(moment) - moment.behind
        return max(periods, Fraction(0)) if moment.behind else periods

    def _a_period(self, moment: Moment) -> Fraction:
        return self.per_period[moment.counter.unit]


def steps_of(reading: Reading, name: str) -> dict[Unit, Fraction]:
    """Return the steps a rollout period has by a run's config: train steps and, where a framework counts them, explore steps.

    Raises UsageError, with `name` of the file, where the config does not tell its batch sizes as numbers.
    """
    sizes: list[Any] = [reading.values.get(f"stage.batch.{size}") for size in _SIZES]
    lacking = [size for size, value in zip(_SIZES, sizes, strict=True) if not isinstance(value, int) or value <= 0]
    if lacking:
        raise UsageError(
            f"{name} does not tell {' nor '.join(lacking)} as a number; bind variables with --set NAME=VALUE"
        )
    prompts, responses, update = sizes
    steps = {Unit.ROLLOUTS: Fraction(1), Unit.TRAIN_STEPS: Fraction(prompts * responses, update)}
    passes = reading.values.get("stage.batch.passes")
    if isinstance(passes, int):
        steps[Unit.UPDATES] = passes * steps[Unit.TRAIN_STEPS]
    if any(counter.unit is Unit.EXPLORE_STEPS for counter in counters_of(reading.source.framework)):
        steps[Unit.EXPLORE_STEPS] = Fraction(reading.convert(1, Unit.ROLLOUTS, Unit.EXPLORE_STEPS))
    return steps


def together(sides: Mapping[str, Mapping[Unit, Fraction]]) -> Steps:
    """Join the steps that several configs tell. Raises UsageError where they count the same thing differently."""
    steps: dict[Unit, Fraction] = {Unit.ROLLOUTS: Fraction(1)}
    for name, units in sides.items():
        for unit, count in units.items():
            if steps.setdefault(unit, count) != count:
                raise UsageError(
                    f"{name} has {_number(count)} {unit} a rollout period, another config {_number(steps[unit])}: not one run"
                )
    return Steps(steps)


def _number(value: Fraction) -> str:
    return str(int(value)) if value.denominator == 1 else f"{float(value):g}"
