"""Rewrites a file of metrics, one JSON object a line, into the names and steps of another framework."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import Any

from rftconf.base.errors import UnreadableError
from rftconf.mappers.logged import Counter
from rftconf.metrics.naming import counter_of, counters_of, name_for, step_keys, understood
from rftconf.metrics.quantity import title
from rftconf.metrics.steps import Moment, Steps
from rftconf.plan.units import Unit

RUN = "run"
"""What tells the lines of two runs apart, where a framework logs to two."""
_HOLDERS = ("data", "metrics")
"""Where veRL's file logger and ROLL's standard output put the metrics of a line."""


@dataclass(slots=True)
class Report:
    """An account of what became of the names and steps of a file."""

    lines: int = 0
    renamed: dict[str, str] = field(default_factory=dict)
    same: set[str] = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)
    """Names that stay as they are, and why."""
    differs: dict[str, str] = field(default_factory=dict)
    """New names to why their values are not the same number as before."""
    steps: set[str] = field(default_factory=set)
    """Sentences about steps that were not converted."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The place a metric goes to: a run of the target, and how many periods old its weights are on both sides."""

    run: str
    behind: int = 0
    theirs: int = 0


@dataclass(slots=True)
class Renaming:
    """One direction, with what is known about steps."""

    source: str
    target: str
    steps: Steps = field(default_factory=Steps)
    report: Report = field(default_factory=Report)
    release: str = ""
    """The target's release whose names are written; its newest one where there is none."""

    def lines(self, text: str, file: str) -> Iterator[dict[str, Any]]:
        """The objects of `text` in the target's words; several for one where the target logs them at several steps.

        Raises UnreadableError, with file, line and column, for a line that is no JSON object.
        """
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                self.report.lines += 1
                yield from self._object(_parsed(line, file, number), file, number)

    def _object(self, object_: dict[str, Any], file: str, number: int) -> Iterator[dict[str, Any]]:
        holder = next((key for key in _HOLDERS if isinstance(object_.get(key), dict)), None)
        inside = object_ if holder is None else object_[holder]
        keys = step_keys(self.source)
        steps = {key: _number(key, value, file, number) for key, value in object_.items() if key in keys}
        metrics = {key: value for key, value in inside.items() if key not in steps and key != RUN}
        source = self._source_run(object_.get(RUN), metrics)
        for place, named in self._by_place(metrics).items():
            counted = self._counted(steps, source, place)
            labels = {RUN: place.run} if place.run else {}
            around = {} if holder is None else {k: v for k, v in object_.items() if k not in (*steps, holder, RUN)}
            yield {**counted, **labels, **around, **(named if holder is None else {holder: named})}

    def _by_place(self, metrics: Mapping[str, Any]) -> dict[_Place, dict[str, Any]]:
        """Metrics under their new names, by where they go; what has no new name goes where most training metrics do."""
        first = _Place(counters_of(self.target)[0].run)
        objects: dict[_Place, dict[str, Any]] = {}
        taken: set[str] = set()
        plan = {name: self._new(name) for name in metrics}
        unmoved = {name for name, (new, _, _) in plan.items() if new in ("", name)}
        for name, value in metrics.items():
            new, place, differs = plan[name]
            if new and new != name and (new in taken or new in unmoved):
                self.report.kept[name] = f"its line has {new} already"
                new = ""
            if new:
                taken.add(new)
                self._note(name, new, differs)
            objects.setdefault(place if new else first, {})[new or name] = value
        return dict(sorted(objects.items(), key=lambda item: item[0] != first)) or {first: {}}

    def _new(self, name: str) -> tuple[str, _Place, str]:
        """New name, place and why values differ; an empty name where there is none, with the reason noted."""
        known = understood(self.source, name)
        if known is None:
            own = name in step_keys(self.source)
            self.report.kept[name] = f"{title(self.source)}'s own counter, as it was" if own else "not in the table"
            return "", _Place(""), ""
        new, why = name_for(known, self.target, self.release)
        if not new:
            self.report.kept[name] = f"{title(self.target)} {why}"
            return "", _Place(""), ""
        mine, theirs = known.logged, known.quantity.logged[self.target]
        remarks = [
            f"{title(s)}: {logged.differs}"
            for s, logged in ((self.source, mine), (self.target, theirs))
            if logged.differs
        ]
        return new, _Place(theirs.run, mine.behind, theirs.behind), "; ".join(remarks)

    def _note(self, name: str, new: str, differs: str) -> None:
        if new == name:
            self.report.same.add(name)
        else:
            self.report.renamed[name] = new
        if differs:
            self.report.differs[new] = differs

    def _source_run(self, run: object, metrics: Iterable[str]) -> Counter | None:
        """The counter that a line's steps are of; None where its metrics are of two runs, or of none."""
        mine = counters_of(self.source)
        if len(mine) == 1:
            return mine[0]
        if run in [counter.run for counter in mine]:
            return counter_of(self.source, str(run))
        runs = {known.logged.run for name in metrics if (known := understood(self.source, name)) is not None}
        return counter_of(self.source, runs.pop()) if len(runs) == 1 else None

    def _counted(self, steps: Mapping[str, Any], source: Counter | None, place: _Place) -> dict[str, Any]:
        """The line's steps as the target counts them; a counter of the source's own stays where there is another."""
        target = counter_of(self.target, place.run)
        own = next((name for name in target.keys if "/" in name), "")
        values: dict[str, Any] = {}
        for key, value in steps.items():
            if "/" in key and not own and len(steps) > 1:
                self.report.kept[key] = f"{title(self.source)}'s own counter, as it was"
                values[key] = value
                continue
            named = own if "/" in key and own else key if key in target.keys else target.keys[0]
            values[named] = self._step(value, source, target, place)
        return values

    def _step(self, value: int | float, source: Counter | None, target: Counter, place: _Place) -> int | float:
        if source is None:
            self.report.steps.add(
                f"{title(self.source)} logs to two runs, and a line's metrics do not tell which: add "
                f'"{RUN}": "{counters_of(self.source)[0].run}"'
            )
            return value
        mine, theirs = Moment(source, place.behind), Moment(target, place.theirs)
        if not self.steps.knows(mine, theirs):
            lacking = self._lacking(source, target)
            self.report.steps.add(f"they stay {_counter_text(source)}, where {_counter_text(target)} belong: {lacking}")
            return value
        exact = self.steps.convert(Fraction(value), mine, theirs)
        return int(exact) if exact.denominator == 1 else float(exact)

    def _lacking(self, source: Counter, target: Counter) -> str:
        """Return what would tell the factor; explore steps are told by Trinity's own config alone."""
        unknown = {counter.unit for counter in (source, target)} - set(self.steps.per_period)
        return (
            f"give {'the Trinity config' if Unit.EXPLORE_STEPS in unknown else 'the config of the run'} with --config"
        )


def _number(key: str, value: Any, file: str, line: int) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise UnreadableError(f"{key} is {json.dumps(value)}, not a number", file=file, line=line)
    return value


def _counter_text(counter: Counter) -> str:
    return f"{title(counter.framework)}'s {f'{counter.run} ' if counter.run else ''}steps ({counter.unit.value})"


class _TwiceError(ValueError):
    """An object has a key two times; a reader that keeps one of the values would lose the other in silence."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return fields


def _parsed(line: str, file: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise UnreadableError(f"no JSON: {error.msg}", file=file, line=number, col=error.colno) from error
    except _TwiceError as error:
        raise UnreadableError(f"{json.dumps(str(error))} stands twice in one object", file=file, line=number) from error
    except (RecursionError, ValueError) as error:
        what = "nested too deep, or a number is too long"
        raise UnreadableError(f"JSON that cannot be read: {what}", file=file, line=number) from error
    if not isinstance(value, dict):
        raise UnreadableError("not a JSON object; one object a line is expected", file=file, line=number, col=1)
    return value


def write_json_lines(lines: Iterable[dict[str, Any]]) -> str:
    """Write one JSON object a line."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
