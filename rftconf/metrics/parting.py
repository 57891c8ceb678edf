"""Two runs' curves laid over each other by the prompts seen: which of them part, and from where on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import fmean

from rftconf.metrics.curves import Curve, Points, RunCurves
from rftconf.metrics.table import QUANTITIES

PARTS = 8
"""The shared stretch is cut into as many parts at most; a curve of fewer points is cut into as many as it has."""
SIGMAS = 3.0
"""Means of a part differ where they are further apart than so many standard errors of their difference."""
LEAST = 0.01
"""A difference under this share of the larger of two means counts as none, however steady it is."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the stretch that both runs have, from so many prompts to so many, with the mean of each run there."""

    first: float
    last: float
    a: float
    b: float
    apart: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """A curve of each run for the same quantity, and their parts in the order of the prompts.

    `says` and `unit` are the table's words, the name itself and "" for what no table has; `remarks` say why the two
    values are not the same number even for equal runs.
    """

    says: str
    unit: str
    a: Curve
    b: Curve
    parts: tuple[Part, ...]
    remarks: tuple[str, ...] = ()

    @property
    def apart_from(self) -> float | None:
        """The prompts from which on all parts are apart; None where the last part is not."""
        first = None
        for part in reversed(self.parts):
            if not part.apart:
                break
            first = part.first
        return first

    @property
    def gap(self) -> float:
        """The difference of the means of the last part, as a share of the larger one."""
        return _share(self.parts[-1].a, self.parts[-1].b)


@dataclass(frozen=True, slots=True)
class Overlay:
    """Two runs' curves over each other: those that part, the first to part first, those that do not, and the rest."""

    a: RunCurves
    b: RunCurves
    parted: tuple[Pair, ...]
    alike: tuple[Pair, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    apart_in_time: tuple[str, ...]
    """Quantities that both log, at no stretch of prompts that both have."""


def lay_over(a: RunCurves, b: RunCurves) -> Overlay:
    """Lay the curves of two runs over each other."""
    pairs: list[Pair] = []
    apart_in_time: list[str] = []
    paired: tuple[set[str], set[str]] = (set(), set())
    for says, unit, curve_a, curve_b, remarks in _counterparts(a, b):
        paired[0].add(curve_a.name)
        paired[1].add(curve_b.name)
        parts = _parts(curve_a.points, curve_b.points)
        if parts:
            pairs.append(Pair(says, unit, curve_a, curve_b, parts, remarks))
        else:
            apart_in_time.append(says)
    parted = sorted(
        ((pair.apart_from, -pair.gap, number) for number, pair in enumerate(pairs) if pair.apart_from is not None)
    )
    return Overlay(
        a,
        b,
        tuple(pairs[number] for _, _, number in parted),
        tuple(pair for pair in pairs if pair.apart_from is None),
        tuple(name for name in a.curves if name not in paired[0]),
        tuple(name for name in b.curves if name not in paired[1]),
        tuple(apart_in_time),
    )


def _counterparts(a: RunCurves, b: RunCurves) -> Iterator[tuple[str, str, Curve, Curve, tuple[str, ...]]]:
    """Curves of both runs that are the same quantity, of the same data set where their names tell one."""
    order = {quantity.says: number for number, quantity in enumerate(QUANTITIES)}
    known = [curve for curve in a.curves.values() if curve.match is not None]
    for mine in sorted(known, key=lambda curve: order[curve.match.quantity.says] if curve.match else 0):
        for theirs in b.curves.values():
            if mine.match is None or theirs.match is None or mine.match.quantity is not theirs.match.quantity:
                continue
            filled = mine.match.filled, theirs.match.filled
            if any(filled[0][part] != filled[1][part] for part in filled[0].keys() & filled[1].keys()):
                continue
            differs = (mine.match.logged.differs, theirs.match.logged.differs)
            remarks = () if a.framework == b.framework else tuple(dict.fromkeys(text for text in differs if text))
            yield mine.match.quantity.says, mine.match.quantity.unit, mine, theirs, remarks
    if a.framework == b.framework:
        for name, mine in a.curves.items():
            if mine.match is None and name in b.curves:
                yield name, "", mine, b.curves[name], ()


def _parts(a: Points, b: Points) -> tuple[Part, ...]:
    """The stretch that both have in equal parts; a part in which one of them has no point is left out."""
    first, last = max(a[0][0], b[0][0]), min(a[-1][0], b[-1][0])
    inside = [[point for point in points if first <= point[0] <= last] for points in (a, b)]
    if first > last or not all(inside):
        return ()
    count = min(PARTS, *map(len, inside))
    noise = [_noise([value for _, value in points]) for points in inside]
    edges = [first + (last - first) * number / count for number in range(count + 1)]
    parts = []
    for number, (low, high) in enumerate(pairwise(edges)):
        ends_here = number == count - 1
        values = [
            [value for place, value in points if low <= place < high or (ends_here and place == high)]
            for points in inside
        ]
        if all(values):
            parts.append(_part(low, high, values, noise))
    return tuple(parts)


def _part(first: float, last: float, values: Sequence[Sequence[float]], noise: Sequence[float]) -> Part:
    a, b = map(fmean, values)
    error = sqrt(sum(deviation**2 / len(some) for deviation, some in zip(noise, values, strict=True)))
    return Part(first, last, a, b, abs(a - b) > SIGMAS * error and _share(a, b) > LEAST)


def _noise(values: Sequence[float]) -> float:
    """The standard deviation about a trend, from the differences of neighbours (von Neumann's estimate); 0 for one value."""
    if len(values) < 2:
        return 0.0
    return sqrt(fmean((after - before) ** 2 for before, after in pairwise(values)) / 2)


def _share(a: float, b: float) -> float:
    larger = max(abs(a), abs(b))
    return abs(a - b) / larger if larger else 0.0
