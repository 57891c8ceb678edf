"""All that is known about one native key, gathered from catalogues, edits between releases, tables, hazards and rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from rftconf.base.errors import UsageError
from rftconf.base.ledger import State
from rftconf.base.symbols import Value
from rftconf.explain.field import FieldFacts, field_facts
from rftconf.explain.fields import field_support, fields_at, fields_by_key, named_fields, rows_of_key
from rftconf.explain.hazards import Hazard, concerning
from rftconf.explain.looks import rules_about
from rftconf.explain.spans import Span, existing, in_newest, spans_of
from rftconf.lint import key_help as editor
from rftconf.mappers.rows import Fold, Row
from rftconf.mappers.tables import all_tables, reason_for, table_of
from rftconf.plan.index import fields
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.framework import Framework

STAGE = "stages[]."
"""What a Trinity stage writes in front of the common keys."""
_UNREAD = (State.DEAD_IN_SOURCE,)


@dataclass(frozen=True, slots=True)
class Kind:
    """The plan fields of a key in runs of one kind, where those have a table of their own."""

    kind: str
    fields: tuple[FieldFacts, ...]


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """One key of one framework (or program) and trainer. `named` are its names in the newest release, none where gone."""

    framework: Framework
    key: str
    trainer: str
    spans: tuple[Span, ...]
    named: tuple[str, ...]
    history: str
    takes: tuple[str, ...]
    """Names that the newest release that has the key knows (losses, estimators); user code may register more."""
    plus_only: bool
    automatic: bool
    meaning: str
    unit: str
    fields: tuple[FieldFacts, ...]
    own: int
    """How many of `fields`, the first ones, are read off this key; the others it shares with keys beside it."""
    formulas: tuple[tuple[str, str], ...]
    """Plan field and what it is in this key, the keys beside it at their defaults."""
    reason: tuple[str, str]
    """State and sentence of a key that no plan field stands for; both empty otherwise."""
    unread: str
    """Why nothing reads it, or why what it says does not count; empty for a key that acts."""
    acts: str
    """What holds where the key does nothing, for one that acts under a condition."""
    words: tuple[tuple[str, str], ...]
    trainers: tuple[tuple[str, Value], ...]
    """Other trainers of the newest release in which the default is another."""
    kinds: tuple[Kind, ...]
    hazards: tuple[Hazard, ...]
    rules: tuple[tuple[str, str], ...]
    """Codes of the lint rules that look at it, and their titles."""


def trainers_with(known: Framework, key: str, release: str | None = None) -> list[str]:
    """The trainers whose config has `key`, in `release` or in any."""
    return [trainer for trainer in known.trainers if existing(known, trainer, key, release)]


@lru_cache(maxsize=256)
def key_facts(framework: str, key: str, release: str | None = None) -> KeyFacts:
    """The facts of `key` (as a catalogue or a file spells it). Raises UsageError where the framework has no such key.

    `release` narrows types and defaults to one release; what the key means is told by the newest one's table.
    """
    known = registry.framework(framework)
    number = None if release is None else registry.release(known, release)
    trainers = trainers_with(known, key, number)
    if not trainers:
        raise UsageError(f"{known.title}{f' {number}' if number else ''} has no key {key}")
    trainer, last = trainers[0], existing(known, trainers[0], key, number)[-1]
    held_by = catalogue.load(known.name, last, trainer)
    entry = held_by.get(key)
    assert entry is not None
    name = held_by.canonical(key)
    spans = spans_of(known, trainer, name, number)
    named = _now(spans, in_newest(known, name, last, trainer))
    names = [path.removeprefix(STAGE) for path in named] or [name]
    rows, plans, own = _mapped(known, names)
    reason = ("", "") if plans else _reason(known, names)
    facts_by_name = [editor.facts(known.name, name) for name in names]
    unread = versions.dead(known.name, last, name) or (reason[1] if reason[0] in _UNREAD else "")
    texts = [*(row.why for row in rows), *_conditions(rows), *reason]
    return KeyFacts(
        known, name, trainer,
        spans=spans,
        named=tuple(named),
        history=versions.history(known.name, name, trainer) or "",
        takes=held_by.names(name),
        plus_only=entry.plus_only,
        automatic=entry.automatic,
        meaning="; ".join(dict.fromkeys(facts.why for facts in facts_by_name if facts.why)),
        unit=next((facts.unit for facts in facts_by_name if facts.unit), ""),
        fields=tuple(field_facts(path, known, "") for path in map(whole, plans)),
        own=own,
        formulas=tuple(_formulas(known.name, names, rows)),
        reason=reason,
        unread=unread,
        acts=next(_conditions(rows), ""),
        words=next((pairs for row in rows if isinstance(row, Row) and (pairs := field_support(known.name, row.plan).words)), ()),
        trainers=_other_defaults(known, name, entry.default, trainers[1:]),
        kinds=tuple(_kinds(known, names, plans)),
        hazards=concerning(plans[:own] or plans, [f"{known.family}:{name}" for name in (name, *names)], texts),
        rules=rules_about(known.family, plans[:own] or plans, names),
    )  # fmt: skip


def _mapped(known: Framework, names: Iterable[str]) -> tuple[list[Row | Fold], tuple[str, ...], int]:
    """The rows and folds that speak for keys (by their newest names), the plan fields, and how many of these are their own.

    Fields that are read off the keys themselves come first.
    """
    rows = [row for name in names for row in rows_of_key(table_of(known.name), name)]
    plans = dict.fromkeys(path for name in names for path in fields_at(fields_by_key(known.name), name))
    named = {path for name in names for path in named_fields(known.name, name)}
    first = [path for path in plans if path in named]
    return rows, (*first, *(path for path in plans if path not in named)), len(first)


def _conditions(rows: Iterable[Row | Fold]) -> Iterator[str]:
    """Yield for each conditional row what holds where its keys do nothing."""
    return (row.when.otherwise for row in rows if isinstance(row, Row) and row.when)


def whole(path: str) -> str:
    """A plan field with `stage.` where it belongs to one."""
    return path if path in fields() else f"stage.{path}"


def _now(spans: tuple[Span, ...], named: list[str]) -> list[str]:
    """The names that count now: where the newest release has the key without effect, what older ones' became."""
    if not spans[-1].dead:
        return named
    return list(next((span.became for span in reversed(spans) if span.became), named))


def _reason(known: Framework, names: Iterable[str]) -> tuple[str, str]:
    """State and sentence of keys without a plan field."""
    for name in names:
        reason = reason_for(table_of(known.name), name, None)
        if reason is not None:
            return reason.state.value, reason.why
    return "", ""


def _formulas(framework: str, names: Iterable[str], rows: Iterable[Row | Fold]) -> Iterator[tuple[str, str]]:
    """Yield plan fields with their formulas in one of the keys, where a row or fold is arithmetic."""
    from rftconf.explain.formulas import formula_of, formula_with

    for row in rows:
        if isinstance(row, Row):
            formula = formula_of(framework, row.plan, row)
            if formula:
                yield row.plan.removeprefix("stage."), formula
            continue
        for path in row.plans:
            together = formula_of(framework, path, row)
            for name in names:
                formula = together if name in together.split() else formula_with(framework, path, row, name)
                if formula and formula != name:
                    yield path.removeprefix("stage."), formula


def _other_defaults(
    known: Framework, name: str, default: Value, trainers: Iterable[str]
) -> tuple[tuple[str, Value], ...]:
    newest = {trainer: catalogue.load(known.name, None, trainer).get(name) for trainer in trainers}
    return tuple((trainer, key.default) for trainer, key in newest.items() if key and key.default != default)


def _kinds(known: Framework, names: Iterable[str], usual: tuple[str, ...]) -> Iterator[Kind]:
    """Kinds of runs in which the key stands for other fields than usual."""
    for framework, kind in all_tables():
        if framework != known.name or not kind or table_of(framework, kind).rows is table_of(framework).rows:
            continue
        plans = [path for name in names for path in fields_at(fields_by_key(framework, kind), name)]
        if plans and tuple(plans) != usual:
            yield Kind(kind, tuple(field_facts(whole(path), known, kind) for path in plans))
