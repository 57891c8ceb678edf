"""Differences between two runs by what causes them, the largest effect on the learning first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from math import log2
from typing import Any, NamedTuple

from rftconf.diff.causes import CAUSES, Cause
from rftconf.diff.compare import Comparison, Difference, Stages
from rftconf.diff.effects import Effect
from rftconf.diff.measured_difference import Measured, Pair, Tier

HARDLY = log2(1.02)
"""A factor within 2 % is below what two seeds differ by."""
UNKNOWN = 1.0
"""Doublings that an effect of unknown size is ranked by: a factor of 2."""
SOURCE_AND_TARGET = ("in the source", "here")
A_AND_B = ("in A", "in B")


class Ranked(NamedTuple):
    """A cause, how much it does, and the fields that differ."""

    cause: Cause
    measured: Measured
    found: tuple[Difference, ...]

    @property
    def tier(self) -> Tier:
        """Return the tier of the cause; a factor that hardly differs from 1 counts as chance."""
        tier, size = self.measured.tier, self.measured.doublings
        return Tier.CHANCE if tier is Tier.SCALE and size is not None and size < HARDLY else tier

    @property
    def acts(self) -> bool:
        """False for a factor of exactly 1: the fields differ, and what they make does not."""
        return self.measured.tier is not Tier.SCALE or self.measured.doublings != 0


def ranked(
    differences: Iterable[Difference],
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    names: tuple[str, str] = A_AND_B,
    keys: Mapping[str, str] | None = None,
) -> tuple[Ranked, ...]:
    """The causes behind differences that change the mathematics; `a` and `b` are the stages' flat values.

    What a framework does without a key stands in the differences alone. `names` and `keys` as in `Pair`.
    """
    groups: dict[str, list[Difference]] = {}
    for difference in differences:
        # what acts on one side only, and is the same or nothing on the other, follows from another field, which is listed
        if difference.known.effect is Effect.MATHEMATICS and not difference.follows:
            groups.setdefault(cause_of(difference.path).name, []).append(difference)
    measured = (_measured(group, a, b, names, keys or {}) for group in groups.values())
    return tuple(sorted(measured, key=_place))


def of_stages(comparison: Comparison, stage: Stages) -> tuple[Ranked, ...]:
    """The causes behind two stages of a comparison, as far as the two can be compared; only those that act."""
    a, b = comparison.a.stages[stage.a], comparison.b.stages[stage.b]
    keys = {path: statement.keys[0][0] for path, statement in comparison.b.said[stage.b].items() if statement.keys}
    certain = [difference for difference in stage.differences if difference.certain and not difference.of_one_kind]
    return tuple(cause for cause in ranked(certain, a, b, A_AND_B, keys) if cause.acts)


def _measured(
    group: list[Difference], a: Mapping[str, Any], b: Mapping[str, Any], names: tuple[str, str], keys: Mapping[str, str]
) -> Ranked:
    cause = cause_of(group[0].path)
    a = {**a, **{difference.path: difference.a.value for difference in group if a.get(difference.path) is None}}
    b = {**b, **{difference.path: difference.b.value for difference in group if b.get(difference.path) is None}}
    first = sorted(group, key=lambda difference: (not difference.certain, _field(cause, difference.path)))
    paths = tuple(difference.path for difference in first)
    return Ranked(cause, cause.measure(Pair(a, b, paths, names, keys)), tuple(first))


def _place(cause: Ranked) -> tuple[int, float]:
    """Return the key by which causes are sorted: tier, then size."""
    size = UNKNOWN if cause.measured.doublings is None else cause.measured.doublings
    return cause.tier, -size


def cause_of(path: str) -> Cause:
    """The cause that a plan field belongs to. Raises KeyError where no row has it."""
    plain = re.sub(r"\[\d+\]", "[]", path)
    for cause in CAUSES:
        if any(_pattern(field).fullmatch(plain) for field in cause.fields):
            return cause
    raise KeyError(path)


def _field(cause: Cause, path: str) -> int:
    plain = re.sub(r"\[\d+\]", "[]", path)
    return next(index for index, field in enumerate(cause.fields) if _pattern(field).fullmatch(plain))


@cache
def _pattern(field: str) -> re.Pattern[str]:
    text = re.escape(field).replace(r"\*\*", r".+").replace(r"\*", r"[\w-]+")
    return re.compile(text)
