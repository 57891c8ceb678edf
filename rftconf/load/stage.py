"""One stage of a run, read: again without a value that cannot be used, until every row has what it can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.symbols import OpenKey
from rftconf.load.dataset_rows import count_rows
from rftconf.load.effective import Effective, effective
from rftconf.load.fork import counts_of
from rftconf.mappers.facts import Facts
from rftconf.mappers.native import Cell
from rftconf.mappers.reading import Reading
from rftconf.mappers.tables import table_of
from rftconf.mappers.value_errors import (
    STUMBLES,
    ReadAgainError,
    Spot,
    ValueFinding,
    report_sizes,
    report_undecided,
    spot_of,
)
from rftconf.plan.derive import derive
from rftconf.plan.kinds import WITHOUT_ROLLOUTS
from rftconf.plan.origin import Origin
from rftconf.report.values import render_value
from rftconf.schemas.edits import Change
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf

MOST_READINGS = 40
"""How often a stage is read again; values that cannot be used after that leave their rows unread."""


@dataclass(slots=True)
class StageRead:
    """One stage as read: flat plan values with origins, and what its rows had to say."""

    name: str | None
    reading: Reading
    changes: tuple[Change, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """Flat plan paths to values."""
        return self.reading.values

    @property
    def origins(self) -> dict[str, Origin]:
        """Flat plan paths to origins."""
        return self.reading.origins

    def overruled(self, leaf: Leaf) -> str | None:
        """Return the reason why the release does something else than `leaf` says; None where it does as `leaf` says."""
        own = (change for change in self.changes if change.overruled and getattr(change.cell, "leaf", None) is leaf)
        return next((change.why for change in own), None)


def facts_of(
    document: Document, guess: Guess, *, assume: Mapping[str, str] | None = None, rows: int | None = None
) -> Facts:
    """Return the facts about a run from outside its keys; `assume` holds a person's statements about a fork."""
    launch = document.launch
    return Facts(
        starter=launch.starter if launch else {},
        server=launch.server if launch else None,
        assumed={**counts_of(guess), **(assume or {})},
        program=launch.program if launch else "",
        shipped=launch.shipped if launch else "",
        environment=document.environment,
        partial=bool(document.missing),
        rows=rows,
        rows_asked=rows is not None,
    )


def read_stage(guess: Guess, leaves: Mapping[str, Leaf], name: str | None, facts: Facts) -> StageRead:
    """Read the leaves of one stage, as often as a value turns out to be of no use. `facts` come from outside the config."""
    keys, reading, set_aside = _read_usable(guess, leaves, facts, alone=True)
    reading.value_errors = _once_each(*keys.value_errors, *set_aside.values(), *report_undecided(reading))
    if reading.values.get("stage.kind") not in WITHOUT_ROLLOUTS:  # samples have one length
        derive(reading.values, reading.origins)
    for change in keys.changes:
        if change.lossy and change.became:
            reading.note(f"{change.key}: {change.why}")
    if name is not None:
        reading.set("stage.name", name, "stages[].stage_name")
    return StageRead(name, reading, keys.changes)


def _read_usable(
    guess: Guess, leaves: Mapping[str, Leaf], facts: Facts, *, alone: bool
) -> tuple[Effective, Reading, dict[Spot, ValueFinding]]:
    """Read until no value stands in the way of a row: the keys, the reading, and the values that were set aside for it."""
    set_aside: dict[Spot, ValueFinding] = {}
    for turn in range(MOST_READINGS):
        keys = _effective(guess, leaves, facts, set_aside)
        if not alone:
            _open_defaults(keys)
        reading = _start(guess, keys, facts, set_aside)
        reading.last = turn == MOST_READINGS - 1
        with suppress(ReadAgainError):
            reading.read_all()
            reading.value_errors += report_sizes(reading)
        set_aside |= {spot_of(finding.leaf): finding for finding in reading.value_errors}
        if not reading.value_errors:
            break
    return keys, reading, set_aside


def _open_defaults(keys: Effective) -> dict[str, Cell]:
    """Leave every value open that the file does not write, and give those that it writes."""
    written = {key: cell for key, cell in keys.native.cells.items() if cell.leaf is not None}
    keys.native.cells = {key: written.get(key) or Cell(OpenKey(key)) for key in keys.native.cells}
    return written


def read_as_written(guess: Guess, leaves: Mapping[str, Leaf], facts: Facts, *, alone: bool = True) -> StageRead:
    """Read the leaves of one stage once, and keep the values that cannot be used: there are rules that speak of them.

    Not `alone`: defaults are not known, so that no condition is decided by one, and rules see none afterwards.
    """
    keys = _effective(guess, leaves, facts, {})
    written = {} if alone else _open_defaults(keys)
    reading = _start(guess, keys, facts, {})
    reading.last = reading.as_written = True
    reading.read_all()
    if reading.values.get("stage.kind") not in WITHOUT_ROLLOUTS:
        with suppress(*STUMBLES):
            derive(reading.values, reading.origins)
    if not alone:
        keys.native.cells = written
    if reading.value_errors:  # a value that cannot be used decides of no key that it does nothing
        usable = _read_usable(guess, leaves, facts, alone=alone)[1]
        reading.inactive, reading.waits_for = usable.inactive, usable.waits_for
    reading.value_errors = _once_each(*keys.value_errors, *reading.value_errors)
    return StageRead(None, reading, keys.changes)


def _effective(
    guess: Guess, leaves: Mapping[str, Leaf], facts: Facts, set_aside: Mapping[Spot, ValueFinding]
) -> Effective:
    return effective(
        guess,
        leaves,
        shipped=facts.shipped,
        environment=facts.environment,
        set_aside=set_aside,
        partial=facts.partial,
        program=facts.program,
    )


def _start(guess: Guess, keys: Effective, facts: Facts, set_aside: Mapping[Spot, ValueFinding]) -> Reading:
    table = table_of(guess.framework)
    if table.kind_of is not None:
        table = table_of(guess.framework, table.kind_of(keys.native, facts.program))
    left_open = {spot_of(finding.leaf): finding for finding in keys.value_errors}
    reading = Reading(table, keys.native, count_rows=count_rows, set_aside={**set_aside, **left_open})
    reading.facts = replace(facts, removed=_removed(keys.changes))
    return reading


def _removed(changes: Iterable[Change]) -> dict[str, Any]:
    """Written keys that the newest release has no more, with their values."""
    dropped = (change for change in changes if not change.became and getattr(change.cell, "leaf", None) is not None)
    return {change.key: change.cell.value for change in dropped}


def _once_each(*findings: ValueFinding) -> list[ValueFinding]:
    return list({spot_of(finding.leaf): finding for finding in reversed(findings)}.values())[::-1]


def value_diagnostics(reading: Reading, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with values of a stage, each at its place."""
    arguments = next((d for d in document.diagnostics if d.code == "SYN509"), None)
    for finding in reading.value_errors:
        leaf = finding.leaf
        help_ = f"it is left open: correct it, or give a value with --set {leaf.key}=VALUE"
        if leaf.value == "" and arguments is not None:
            help_ = f"the script is not given all its arguments ({arguments.code}); {arguments.help}"
        message = f"{leaf.key}={render_value(leaf.value)}: {finding.why}"
        yield Diagnostic(finding.code, Severity.WARNING, message, leaf.place, help=help_, key=leaf.key)
