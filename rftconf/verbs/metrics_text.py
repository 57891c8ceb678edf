"""The texts of `rftconf metrics`: the table of two frameworks' metrics, and the report of a renaming."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rftconf.base.enumeration import enumerate_words
from rftconf.mappers.logged import Logged
from rftconf.metrics.naming import counters_of, history
from rftconf.metrics.quantity import RUNNER, Quantity, title
from rftconf.metrics.rename import Report
from rftconf.metrics.table import QUANTITIES
from rftconf.report.screen import Screen, joined
from rftconf.schemas import registry

_INDENT = 4
_MOST_NAMES = 12


def quantities_logged(sides: Sequence[str]) -> list[Quantity]:
    """The quantities that any of `sides` logs, those that all of them log first."""
    quantities = [quantity for quantity in QUANTITIES if any(side in quantity.logged for side in sides)]
    return sorted(quantities, key=lambda quantity: -sum(side in quantity.logged for side in sides))


def table_text(sides: Sequence[str], screen: Screen) -> str:
    """Counters, then one paragraph a quantity."""
    lines = [line for side in sides for line in _counters(side, screen)]
    for quantity in quantities_logged(sides):
        lines += ["", *_quantity(quantity, sides, screen)]
    return joined(lines)


def _counters(side: str, screen: Screen) -> Iterator[str]:
    for counter in counters_of(side):
        run = f", {counter.run}" if counter.run else ""
        text = f"steps are {counter.unit}, the first is {counter.first}: {counter.why}"
        yield from _entry(f"{title(side)}{run}", text, screen)


def _quantity(quantity: Quantity, sides: Sequence[str], screen: Screen) -> Iterator[str]:
    yield f"{screen.style(quantity.says, 'bold')} [{quantity.unit}]"
    wide = max(len(title(side)) for side in sides)
    for side in sides:
        logged = quantity.logged.get(side)
        name = f"{title(side):<{wide}}"
        if logged is None:
            yield f"  {screen.style(name, 'dim')}  does not log it"
            continue
        run = f" ({logged.run})" if logged.run else ""
        yield f"  {screen.style(name, 'dim')}  {logged.name}{run}"
        for text in (logged.differs, history(logged, side)):
            for line in screen.wrap(text, wide + 4) if text else ():
                yield f"{' ' * (wide + 4)}{line}"
        yield f"{' ' * (wide + 4)}{screen.style(read_at(side, logged), 'dim')}"


def read_at(side: str, logged: Logged) -> str:
    """`verl 0.9.1, verl/trainer/ppo/metric_utils.py: compute_data_metrics`."""
    return f"{release_of(side, logged)}{logged.file}: {logged.function}"


def release_of(side: str, logged: Logged) -> str:
    """The release that was read, of the package whose code it is; nothing for our own runner."""
    if side == RUNNER:
        return ""
    known = registry.framework(side)
    if logged.package_release:
        return f"{logged.package} {logged.package_release}, "
    if logged.package != side:
        return f"{registry.framework(logged.package).title} {known.pins[known.newest][0]}, "
    return f"{known.title} {known.newest}, "


def _entry(name: str, text: str, screen: Screen) -> Iterator[str]:
    yield screen.style(name, "bold")
    yield from (f"{' ' * _INDENT}{line}" for line in screen.wrap(text, _INDENT))


def table_json(sides: Sequence[str]) -> dict[str, Any]:
    """The table of metrics as plain JSON data."""
    return {
        "counters": [
            {
                "framework": counter.framework,
                "run": counter.run,
                "unit": counter.unit.value,
                "first": counter.first,
                "keys": list(counter.keys),
                "why": counter.why,
            }
            for side in sides
            for counter in counters_of(side)
        ],
        "quantities": [
            {
                "says": quantity.says,
                "unit": quantity.unit,
                "logged": {side: _logged(side, quantity.logged[side]) for side in sides if side in quantity.logged},
            }
            for quantity in quantities_logged(sides)
        ],
    }


def _logged(side: str, logged: Logged) -> dict[str, Any]:
    return {
        "name": logged.name,
        "older": [name.name for name in logged.older],
        "until": {name.name: name.until for name in logged.older if name.until},
        "since": logged.since,
        "run": logged.run,
        "differs": logged.differs,
        "release": release_of(side, logged).removesuffix(", "),
        "file": logged.file,
        "function": logged.function,
    }


def report_text(report: Report, screen: Screen) -> str:
    """Return the report of a renaming, for standard error: counts, and the metrics kept or changed."""
    read = "1 line" if report.lines == 1 else f"{report.lines} lines"
    counts = f"{read}; metrics: {len(report.renamed)} renamed, {len(report.same)} of the same name"
    lines = [f"rftconf: {counts}, {len(report.kept)} kept as they were"]
    for why in dict.fromkeys(report.kept.values()):
        names = sorted(name for name, reason in report.kept.items() if reason == why)
        lines += _listed(f"kept ({why})", names, screen)
    for text in sorted(report.steps):
        lines += _listed("steps", [text], screen)
    for name in sorted(report.differs):
        lines += _listed(f"{name} is not the same number", [report.differs[name]], screen)
    return joined(lines)


def _listed(head: str, names: Iterable[str], screen: Screen) -> Iterator[str]:
    first, *more = screen.wrap(f"{head}: {enumerate_words(list(names), _MOST_NAMES)}", _INDENT)
    yield f"  {first}"
    yield from (f"{' ' * _INDENT}{line}" for line in more)


def report_json(report: Report) -> dict[str, Any]:
    """The report of a renaming as plain JSON data."""
    return {
        "lines": report.lines,
        "renamed": report.renamed,
        "same": sorted(report.same),
        "kept": report.kept,
        "differs": report.differs,
        "steps": sorted(report.steps),
    }
