"""Lays two runs' curves over each other by the prompts seen, and finds those that differ and where that begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import fmean
from typing import TypeAlias

from rftconf.metrics.curves import Curve, Points, RunCurves
from rftconf.metrics.naming import NameMatch
from rftconf.metrics.table import QUANTITIES

_Match: TypeAlias = tuple[NameMatch, Curve]

WINDOWS = 8
"""The prompts that both runs have seen are divided into so many windows at most, and into fewer where a curve has fewer points."""
SIGMAS = 3.0
"""The means of a window differ where their difference is larger than so many of its standard errors."""
LEAST = 0.01
"""A difference under this share of the larger of two means counts as none, however steady it is."""


@dataclass(frozen=True, slots=True)
class Window:
    """The prompts from `first` to `last`, with the mean of each run there, and whether the two means differ."""

    first: float
    last: float
    a: float
    b: float
    differs: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """A curve of each run for the same quantity, and their windows in the order of the prompts.

    `says` and `unit` are the table's words, the name itself and "" for what no table has; `remarks` say why the two
    values are not the same number even for equal runs.
    """

    says: str
    unit: str
    a: Curve
    b: Curve
    windows: tuple[Window, ...]
    remarks: tuple[str, ...] = ()

    @property
    def differs_from(self) -> float | None:
        """Return the number of prompts from which on all windows differ; None where the last window does not."""
        first = None
        for window in reversed(self.windows):
            if not window.differs:
                break
            first = window.first
        return first

    @property
    def gap(self) -> float:
        """Return the difference of the last window's means, as a share of the larger one."""
        return _share(self.windows[-1].a, self.windows[-1].b)


@dataclass(frozen=True, slots=True)
class Overlay:
    """The curves of two runs for the same quantities: those that differ in the end, the earliest first, and those that agree."""

    a: RunCurves
    b: RunCurves
    differences: tuple[Pair, ...]
    agreements: tuple[Pair, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    without_overlap: tuple[str, ...]
    """Quantities that both runs log, but never within the same range of prompts."""


def lay_over(a: RunCurves, b: RunCurves) -> Overlay:
    """Lay the curves of two runs over each other."""
    pairs: list[Pair] = []
    without_overlap: list[str] = []
    names_in_pairs: tuple[set[str], set[str]] = (set(), set())
    for says, unit, curve_a, curve_b, remarks in _counterparts(a, b):
        names_in_pairs[0].add(curve_a.name)
        names_in_pairs[1].add(curve_b.name)
        windows = _windows(curve_a.points, curve_b.points)
        if windows:
            pairs.append(Pair(says, unit, curve_a, curve_b, windows, remarks))
        else:
            without_overlap.append(says)
    order = sorted((pair.differs_from, -pair.gap, n) for n, pair in enumerate(pairs) if pair.differs_from is not None)
    return Overlay(
        a,
        b,
        tuple(pairs[number] for _, _, number in order),
        tuple(pair for pair in pairs if pair.differs_from is None),
        tuple(name for name in a.curves if name not in names_in_pairs[0]),
        tuple(name for name in b.curves if name not in names_in_pairs[1]),
        tuple(without_overlap),
    )


def _counterparts(a: RunCurves, b: RunCurves) -> Iterator[tuple[str, str, Curve, Curve, tuple[str, ...]]]:
    """Yield curves of both runs that are the same quantity, of the same data set where their names tell one."""
    order = {quantity.says: number for number, quantity in enumerate(QUANTITIES)}
    mine = [(curve.match, curve) for curve in a.curves.values() if curve.match is not None]
    theirs = _Index(b)
    for match, curve in sorted(mine, key=lambda pair: order[pair[0].quantity.says]):
        for other_match, other in theirs.of(match):
            differs = (match.logged.differs, other_match.logged.differs)
            remarks = () if a.framework == b.framework else tuple(dict.fromkeys(text for text in differs if text))
            yield match.quantity.says, match.quantity.unit, curve, other, remarks
    if a.framework == b.framework:
        for name, curve in a.curves.items():
            if curve.match is None and name in b.curves:
                yield name, "", curve, b.curves[name], ()


class _Index:
    """Finds a run's curves of a quantity by what their names say of the data set; a look-up does not grow with the names."""

    def __init__(self, run: RunCurves) -> None:
        self._kinds: dict[str, dict[frozenset[str], list[_Match]]] = {}
        self._by_values: dict[tuple[str, frozenset[str], tuple[str, ...]], dict[tuple[str, ...], list[_Match]]] = {}
        for curve in run.curves.values():
            if curve.match is not None:
                kinds = self._kinds.setdefault(curve.match.quantity.says, {})
                kinds.setdefault(frozenset(curve.match.filled), []).append((curve.match, curve))

    def of(self, match: NameMatch) -> Iterator[_Match]:
        """Yield the curves of a match's quantity whose names agree with it in all that both tell."""
        says = match.quantity.says
        for parts, curves in self._kinds.get(says, {}).items():
            shared = tuple(sorted(parts & match.filled.keys()))
            by_values = self._by_values.get((says, parts, shared))
            if by_values is None:
                by_values = self._by_values[says, parts, shared] = {}
                for known in curves:
                    by_values.setdefault(_values(known[0], shared), []).append(known)
            yield from by_values.get(_values(match, shared), ())


def _values(match: NameMatch, parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(match.filled[part] for part in parts)


def _windows(a: Points, b: Points) -> tuple[Window, ...]:
    """Divide the prompts that both have seen into equal windows; one in which a curve has no point is left out."""
    first, last = max(a[0][0], b[0][0]), min(a[-1][0], b[-1][0])
    inside = [[point for point in points if first <= point[0] <= last] for points in (a, b)]
    if first > last or not all(inside):
        return ()
    count = min(WINDOWS, *map(len, inside))
    noise = [_noise([value for _, value in points]) for points in inside]
    edges = [first + (last - first) * number / count for number in range(count + 1)]
    windows = []
    for number, (low, high) in enumerate(pairwise(edges)):
        ends_here = number == count - 1
        values = [
            [value for place, value in points if low <= place < high or (ends_here and place == high)]
            for points in inside
        ]
        if all(values):
            windows.append(_window(low, high, values, noise))
    return tuple(windows)


def _window(first: float, last: float, values: Sequence[Sequence[float]], noise: Sequence[float]) -> Window:
    a, b = map(fmean, values)
    error = sqrt(sum(deviation**2 / len(some) for deviation, some in zip(noise, values, strict=True)))
    return Window(first, last, a, b, abs(a - b) > SIGMAS * error and _share(a, b) > LEAST)


def _noise(values: Sequence[float]) -> float:
    """Estimate the standard deviation about a trend from the differences of neighbours, as von Neumann did; 0 for one value."""
    if len(values) < 2:
        return 0.0
    return sqrt(fmean((after - before) ** 2 for before, after in pairwise(values)) / 2)


def _share(a: float, b: float) -> float:
    larger = max(abs(a), abs(b))
    return abs(a - b) / larger if larger else 0.0
