"""Tells why nobody can tell whether two sides have the same value of a field."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from rftconf.base.symbols import Expr, is_symbolic, names_in
from rftconf.diff.halves import Half
from rftconf.plan.acting import Asleep, awake_and_asleep
from rftconf.plan.spelling import same, spelled

NUMBERS = ("stage.batch.", "stage.run_length.", "stage.algorithm.")
"""These fields decide whether others do anything."""
SIDES = ("A", "B")
PERIODS, EPOCHS = "stage.run_length.rollouts", "stage.run_length.epochs"
PARTS = (".split", ".subset")
"""Ends of paths that tell which part of a data set is read: another set, or a file, has other parts or none."""
MOST_NAMED = 3
"""Numbers that a sentence names."""


class Doubts:
    """Finds, for fields in which two sides are not equal, what would have to be known of each to tell whether they differ."""

    def __init__(self, half_a: Half, half_b: Half) -> None:
        self._sides = (half_a, half_b)
        self._hangs = _Hanging(half_a, half_b)

    def on(self, path: str, values: tuple[Any, Any], known: tuple[bool, bool]) -> tuple[tuple[str, str], ...]:
        """List the sides of which something is not known, each with what; empty where the two differ for certain.

        `values` are what acts on each side, and `known` whether that is known.
        """
        silent = tuple(
            (name, self._reason_without_value(side, path))
            for name, side, is_known in zip(SIDES, self._sides, known, strict=True)
            if not is_known
        )
        if silent:
            return silent
        if same(*values) is None and not self._only_one_has(path):
            return tuple((name, _open(value)) for name, value in zip(SIDES, values, strict=True) if is_symbolic(value))
        return self._hangs.on(path)

    def _reason_without_value(self, side: Half, path: str) -> str:
        if path == PERIODS and side.raw.get(EPOCHS) is not None:
            return "counts epochs, and how many rows these have is not told: --rows N gives them"
        if path.endswith(PARTS):
            return "names its data set without one"
        why = side.does.reason_without_value(path)
        return f"does not say it: {why}" if why else "does not say it, and what its code does then is not known"

    def _only_one_has(self, path: str) -> bool:
        """True for a field of a list item that only one side has: whatever its value, the other has none."""
        return self._sides[0].has(path) is not self._sides[1].has(path)


def _open(value: Any) -> str:
    names = sorted(names_in(value))
    return f"tells it only with {', '.join(names)}" if names else "tells it only when it runs"


class _Hanging:
    """The fields of two sides that may or may not act, because a number that decides it is not known."""

    def __init__(self, half_a: Half, other: Half) -> None:
        self._sides = (half_a, other)

    @cached_property
    def _numbers_of_one_side(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The numbers of each side that the other one leaves open."""
        half_a, half_b = self._sides
        mine, theirs = _numbers(half_a.raw), _numbers(half_b.raw)
        return (
            {path: value for path, value in mine.items() if isinstance(half_b.raw.get(path), Expr)},
            {path: value for path, value in theirs.items() if isinstance(half_a.raw.get(path), Expr)},
        )

    @cached_property
    def _open(self) -> tuple[tuple[str, str], ...]:
        """The sides that leave numbers open, each with a sentence that names the first of these."""
        listed = (
            sorted(path.removeprefix("stage.") for path, value in _numbers(half.raw).items() if isinstance(value, Expr))
            for half in self._sides
        )
        return tuple(
            (name, f"does not tell {', '.join(fields[:MOST_NAMED])}, on which it hangs whether this does anything")
            for name, fields in zip(SIDES, listed, strict=True)
            if fields
        )

    def on(self, path: str) -> tuple[tuple[str, str], ...]:
        """List the sides on whose open numbers it hangs whether the field at `path` does anything; empty for other fields.

        Both sides say the same, or the field sleeps on one side, and would on the other by the numbers of the first.
        """
        if not self._open:
            return ()
        mine, theirs = (values.get(path) for values in self._in_one_spelling)
        alike = mine is not None and same(mine, theirs) is True
        return self._open if alike or self._sleeps(0, path) or self._sleeps(1, path) else ()

    @cached_property
    def _in_one_spelling(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The fields of both sides, whether they act or not."""
        half_a, half_b = self._sides
        return spelled(half_a.raw), spelled(half_b.raw)

    def _sleeps(self, side_index: int, path: str) -> bool:
        asleep, awake = self._sides[side_index], self._sides[1 - side_index]
        if path in asleep.acts or asleep.asleep.why(path) is None or path not in awake.acts:
            return False
        return bool(self._numbers_of_one_side[side_index]) and self._by_numbers_of[side_index].why(path) is not None

    @cached_property
    def _by_numbers_of(self) -> tuple[Asleep, Asleep]:
        """Return, for each side, the fields of the other one that would do nothing with this side's numbers."""
        (half_a, half_b), (mine, theirs) = self._sides, self._numbers_of_one_side
        return awake_and_asleep({**half_b.raw, **mine})[1], awake_and_asleep({**half_a.raw, **theirs})[1]


def _numbers(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {path: value for path, value in raw.items() if path.startswith(NUMBERS)}
