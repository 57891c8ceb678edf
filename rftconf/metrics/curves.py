"""Reads a file of metrics as curves: for each name, its values by the number of prompts seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from rftconf.base.errors import UsageError
from rftconf.metrics.log_lines import LogLine, is_number, log_lines
from rftconf.metrics.naming import NameMatch, counter_of, step_keys, understood
from rftconf.metrics.quantity import RUNNER, title
from rftconf.metrics.steps import Moment, Steps, steps_of
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading

Points: TypeAlias = tuple[tuple[float, float], ...]
"""Pairs of the prompts seen and the value then, in the order of the prompts; of two values at one number the last counts."""


@dataclass(frozen=True, slots=True)
class RunClock:
    """Converts a run's steps to prompts: `steps` has the number of each unit in a rollout period."""

    steps: Steps
    prompts_per_rollout: int

    @classmethod
    def of(cls, reading: Reading, file: str) -> RunClock:
        """Return what a run's config tells. Raises UsageError, with `file`, where a batch size is no number."""
        return cls(Steps(steps_of(reading, file)), int(reading.values["stage.batch.prompts_per_rollout"]))

    def prompts(self, step: int | float, moment: Moment, file: str) -> float:
        """Return how many prompts were seen at a logged step. Raises UsageError where the config does not tell what a step is worth."""
        if moment.counter.unit not in self.steps.per_period:
            raise UsageError(
                f"{file} counts {moment.counter.unit}, and its config does not tell how many a rollout period has"
            )
        return float(self.steps.periods(Fraction(step), moment) * self.prompts_per_rollout)

    def updates(self, prompts: float) -> float | None:
        """Return how many optimizer updates were made after so many prompts; None where the config does not tell."""
        per_period = self.steps.per_period.get(Unit.UPDATES)
        return None if per_period is None else prompts / self.prompts_per_rollout * float(per_period)


@dataclass(frozen=True, slots=True)
class Curve:
    """The values of one logged name over a run; `match` is None for a name that no framework's table has."""

    name: str
    match: NameMatch | None
    points: Points


@dataclass(frozen=True, slots=True)
class RunCurves:
    """All curves of one file, by their names. `left_out` are the names that never have a number."""

    file: str
    framework: str
    lines: int
    clock: RunClock
    curves: Mapping[str, Curve]
    left_out: tuple[str, ...] = ()


def curves_of(text: str, file: str, framework: str, clock: RunClock) -> RunCurves:
    """Read what a run of `framework` logged, which is `text`; a file of our runner is known by its steps.

    Raises UnreadableError for a line that is no JSON object, UsageError for a file without metrics or without steps.
    """
    logged_by = _logged_by(text, file, framework)
    points: dict[str, dict[float, float]] = {}
    matches: dict[str, NameMatch | None] = {}
    lines = 0
    for line in log_lines(text, file, logged_by):
        lines += 1
        for name, value in line.metrics.items():
            if name not in matches:
                matches[name] = understood(logged_by, name)
            place = _place(line, matches[name], logged_by, clock, file) if is_number(value) else None
            if place is not None:
                points.setdefault(name, {})[place] = float(value)
    if not lines:
        raise UsageError(f"{file} has no metrics: one JSON object a line is expected")
    curves = {
        name: Curve(name, matches[name], tuple(sorted(values.items())))
        for name, values in points.items()
        if name not in step_keys(logged_by)
    }
    if not curves:
        names = " or ".join(step_keys(logged_by))
        raise UsageError(f"{file} has no metric beside a step of {title(logged_by)} ({names})")
    return RunCurves(file, logged_by, lines, clock, curves, tuple(name for name in matches if name not in points))


def _logged_by(text: str, file: str, framework: str) -> str:
    """Return who wrote a file: our runner where its first line has the runner's steps, else the config's framework."""
    first = next(log_lines(text, file, RUNNER), None)
    steps = set() if first is None else {*first.steps}
    return RUNNER if steps else framework


def _place(line: LogLine, match: NameMatch | None, framework: str, clock: RunClock, file: str) -> float | None:
    """Return the number of prompts at which a value was logged; None where its line has no step, or does not tell whose step it is."""
    counter = line.counter
    if counter is None and match is not None:
        counter = counter_of(framework, match.logged.run)
    if counter is None:
        return None
    step = next((line.steps[key] for key in counter.keys if key in line.steps), None)
    return None if step is None else clock.prompts(step, Moment(counter, match.logged.behind if match else 0), file)
