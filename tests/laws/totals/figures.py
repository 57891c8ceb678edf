"""What a run adds up to, in rollout periods and sequences: the figures that a conversion keeps or speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import cos, isclose, pi, sqrt

FIGURES = (
    "sequences",
    "update",
    "updates",
    "rollouts",
    "total_updates",
    "rate",
    "prompts_per_version",
    "staleness",
    "save",
    "evaluate",
)
"""Names of the figures, as they are reported."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A learning rate over rollout periods: `warm` and `horizon` count periods, `floor` is the lowest rate itself."""

    kind: str
    top: float
    warm: Fraction = Fraction(0)
    horizon: Fraction | None = None
    """None: longer than any run, so that nothing decays."""
    floor: float = 0.0

    def after(self, periods: int) -> float:
        """The rate that the first update after so many whole periods uses."""
        if periods < self.warm:
            return self.top * float(periods / self.warm)
        if self.kind == "constant" or self.horizon is None:
            return self.top
        if self.kind == "inv_sqrt":
            return self.top * sqrt(float(self.warm / periods)) if periods else self.top
        done = float((periods - self.warm) / (self.horizon - self.warm)) if self.horizon > self.warm else 1.0
        if done >= 1:
            return self.floor
        share = (cos(pi * done) + 1) / 2 if self.kind == "cosine" else 1 - done
        return self.floor + share * (self.top - self.floor)


@dataclass(frozen=True, slots=True)
class Figures:
    """One run. None stands for never (`save`, `evaluate`), without a bound (`staleness`), not told (`rollouts`)."""

    prompts: Fraction
    """B [prompts a rollout period]"""
    responses: int
    """n"""
    update: Fraction
    """G [sequences an optimizer update]"""
    passes: int
    """E"""
    rollouts: int | None
    """Length of the run [rollout periods]"""
    rate: Rate
    every: int = 1
    """Rollout periods between two weight syncs"""
    ahead: Fraction | None = Fraction(0)
    """How far rollouts run ahead [rollout periods]"""
    save: Fraction | None = None
    evaluate: Fraction | None = None

    @property
    def sequences(self) -> Fraction:
        """S = B*n."""
        return self.prompts * self.responses

    @property
    def updates(self) -> Fraction:
        """U = E*S/G, the updates of a rollout period."""
        return self.passes * self.sequences / self.update

    @property
    def total_updates(self) -> Fraction | None:
        """Updates of the whole run."""
        return None if self.rollouts is None else self.rollouts * self.updates

    @property
    def prompts_per_version(self) -> Fraction:
        """Prompts that one version of the policy answers."""
        return self.prompts * self.every

    @property
    def staleness(self) -> int | None:
        """How many periods old a trained answer may be: (every - 1) + ceil(ahead)."""
        return None if self.ahead is None else self.every - 1 - (-self.ahead.numerator // self.ahead.denominator)

    def boundaries(self) -> tuple[int, ...]:
        """Ends of periods at which rates are compared: the first, around the warm-up's end, the middle, the last."""
        last = (self.rollouts or 2) - 1
        bend = int(self.rate.warm)
        return tuple(sorted({k for k in (0, 1, 2, bend - 1, bend, bend + 1, last // 2, last) if 0 <= k <= last}))


def differing(first: Figures, second: Figures) -> Iterator[str]:
    """Names of the figures in which two runs differ."""
    if first == second:
        return
    for name in FIGURES:
        if name == "rate":
            ends = {*first.boundaries(), *second.boundaries()}
            pairs = [(first.rate.after(end), second.rate.after(end)) for end in ends]
            if not all(isclose(a, b, rel_tol=1e-9, abs_tol=1e-15) for a, b in pairs):
                yield name
        elif getattr(first, name) != getattr(second, name):
            yield name
