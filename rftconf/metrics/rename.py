"""Rewrites a file of metrics, one JSON object a line, into the names and steps of another framework."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rftconf.mappers.logged import Counter
from rftconf.metrics.log_lines import RUN, LogLine, log_lines
from rftconf.metrics.naming import counter_of, counters_of, name_for, step_keys, understood
from rftconf.metrics.quantity import pattern, title
from rftconf.metrics.steps import Moment, Steps
from rftconf.plan.units import Unit


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
        for line in log_lines(text, file, self.source):
            self.report.lines += 1
            yield from self._objects(line)

    def _objects(self, line: LogLine) -> Iterator[dict[str, Any]]:
        for place, named in self._by_place(line.metrics).items():
            counted = self._counted(line.steps, line.counter, place)
            labels = {RUN: place.run} if place.run else {}
            yield {**counted, **labels, **line.around, **(named if line.holder is None else {line.holder: named})}

    def _by_place(self, metrics: Mapping[str, Any]) -> dict[_Place, dict[str, Any]]:
        """Metrics under their new names, by where they go; what has no new name goes where most training metrics do."""
        first = _Place(counters_of(self.target)[0].run)
        objects: dict[_Place, dict[str, Any]] = {}
        plan = {name: self._new(name) for name in metrics}
        winners = self._winners(plan)
        for name, value in metrics.items():
            new, place, differs = plan[name]
            if new and winners.get(new) != name:
                self.report.kept[name] = f"its line has {new} already"
                new = ""
            if new:
                self._note(name, new, differs)
            objects.setdefault(place if new else first, {})[new or self._kept_as(name)] = value
        return dict(sorted(objects.items(), key=lambda item: item[0] != first)) or {first: {}}

    def _winners(self, plan: Mapping[str, tuple[str, _Place, str]]) -> dict[str, str]:
        """Return who gets each new name: what has it already, else a framework's usual name, else the first of a line."""
        winners = {name: name for name, (new, _, _) in plan.items() if new in ("", name)}
        for name, (new, _, _) in sorted(plan.items(), key=lambda item: not self._is_usual(item[0])):
            if new:
                winners.setdefault(new, name)
        return winners

    def _is_usual(self, name: str) -> bool:
        known = understood(self.source, name)
        return known is not None and pattern(known.logged.name).fullmatch(name) is not None

    def _kept_as(self, name: str) -> str:
        """Return the name of a metric without a new one: another where the target would take it for a step."""
        if name not in step_keys(self.target) or name in step_keys(self.source):
            return name
        new = f"{self.source}/{name}"
        self.report.kept[name] = f"as {new}, for {title(self.target)} takes {name} for a step"
        return new

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


def _counter_text(counter: Counter) -> str:
    return f"{title(counter.framework)}'s {f'{counter.run} ' if counter.run else ''}steps ({counter.unit.value})"


def write_json_lines(lines: Iterable[dict[str, Any]]) -> str:
    """Write one JSON object a line."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
