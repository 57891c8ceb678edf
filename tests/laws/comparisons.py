"""The law of comparisons: a line that cannot be compared names what is not known, and what is known is compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rftconf.base.errors import RftconfError
from rftconf.base.symbols import Expr, is_symbolic
from rftconf.diff.compare import Comparison, Difference, Stages, compare
from rftconf.diff.doubts import NUMBERS
from rftconf.diff.halves import SideValue
from rftconf.diff.sides import Side, side
from rftconf.load.load import load
from rftconf.plan.acting import awake_and_asleep
from rftconf.plan.spelling import same
from rftconf.plan.trainer_numbers import trained_apart
from rftconf.schemas import catalogue
from tests.corpus_conversions import sample
from tests.laws.same_budget import golden_inputs

REASONLESS = "what its code does then is not known"
"""The end of a doubt that no table and no key gives a reason for."""


def golden_sides() -> list[Side]:
    """Every golden input that can be understood."""
    return [run for name, document in golden_inputs() for run in _side(name, lambda document=document: document)]


def corpus_sides(every: int) -> list[Side]:
    """Every `every`th config of the corpus."""
    return [run for real in sample(every) for run in _side(real.name, real.document)]


def _side(name: str, document: Any) -> Iterator[Side]:
    try:
        yield side(name, load(document()))
    except RftconfError:
        return


def broken(a: Side, b: Side) -> Iterator[str]:
    """Return the places at which the comparison of two runs breaks the law."""
    comparison = compare(a, b)
    for stage in comparison.stages:
        for difference in stage.differences:
            sides = {"A": (a, difference.a, stage.a), "B": (b, difference.b, stage.b)}
            for letter, why in difference.doubts:
                yield from _doubtless(comparison, difference, *sides[letter], why)
            if difference.certain:
                yield from _equal(comparison, difference)
        yield from _passed_over(comparison, stage)


def _called(comparison: Comparison, path: str) -> str:
    return f"{comparison.a.name} and {comparison.b.name}: {path}"


def _doubtless(
    comparison: Comparison, difference: Difference, own: Side, value: SideValue, index: int, why: str
) -> Iterator[str]:
    """A doubt about a side of which everything is known, or that gives no reason."""
    name = f"{_called(comparison, difference.path)} cannot be compared ({why})"
    numbers = (number for path, number in own.stages[index].items() if path.startswith(NUMBERS))
    if value.value is not None and not is_symbolic(value.value) and not any(isinstance(n, Expr) for n in numbers):
        yield f"{name}, but {own.name} has {value.value}"
    if why.endswith(REASONLESS):
        yield f"{name}: no reason"
    keys = value.said.asked if value.value is None and value.said is not None else ()
    if len(keys) == 1:  # a field of several keys is none of their defaults
        release_keys = catalogue.load(own.framework, own.release)
        default = release_keys.default(keys[0]) if keys[0] in release_keys else None
        if default is not None and not is_symbolic(default) and default not in ("", -1, [], {}, "???"):
            yield f"{name}, but {keys[0]} is {default} by default"


def _equal(comparison: Comparison, difference: Difference) -> Iterator[str]:
    """A difference for certain between two values that are the same, or that nobody knows."""
    a, b = difference.a, difference.b
    one_sided = a.idle is not None or b.idle is not None or None in (a.value, b.value)
    if not one_sided and same(a.value, b.value) is not False:
        yield f"{_called(comparison, difference.path)} is called different: {a.value} and {b.value}"
    if a.value is None and b.value is None and a.idle is None and b.idle is None:
        yield f"{_called(comparison, difference.path)} is called different, and neither side says it"


def _passed_over(comparison: Comparison, stage: Stages) -> Iterator[str]:
    """Two known values that differ, act on both sides, and are no difference for certain."""
    a, b = comparison.a.stages[stage.a], comparison.b.stages[stage.b]
    if trained_apart(a, b):
        return  # the fields of one are compared under the names of the other
    listed = {difference.path: difference for difference in stage.differences}
    mine, theirs = _acting(a), _acting(b)
    for path in mine.keys() & theirs.keys():
        answer, difference = same(mine[path], theirs[path]), listed.get(path)
        if answer is False and (difference is None or not difference.certain):
            yield f"{_called(comparison, path)} is no difference: {mine[path]} and {theirs[path]}"
        if answer is True and difference is not None:
            yield f"{_called(comparison, path)} is listed, and both have {mine[path]}"


def _acting(values: Mapping[str, Any]) -> dict[str, Any]:
    return awake_and_asleep(values)[0]
