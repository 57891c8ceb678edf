"""Reading an output again finds differences from its source that no line of the account names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rftconf.base.ledger import Change, Decision, Ledger, State, TargetLine
from rftconf.base.span import Place, Span
from rftconf.base.symbols import MISSING, Value, open_keys
from rftconf.convert.learning.differences_in_ledger import ledger_lines_on
from rftconf.convert.learning.learning import changes_of, in_order, keys_of, lost_settings
from rftconf.convert.learning.memory_changes import memory_notes
from rftconf.convert.output import starter_of, stated_on_template
from rftconf.convert.questions.open_values import holds_missing
from rftconf.convert.questions.setting_questions import asked_of
from rftconf.diff.as_text import narrowed, seen_text
from rftconf.diff.compare import Difference, differences
from rftconf.diff.effects import Effect
from rftconf.diff.sides import Does, DoesWithoutKey, statements_of
from rftconf.load.effective import stages_of
from rftconf.load.stage import StageRead, read_stage
from rftconf.mappers.facts import Facts
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing
from rftconf.schemas import registry
from rftconf.schemas.guess import Guess
from rftconf.text.document import Leaf, Mode

TOGETHER = {
    Effect.PERFORMANCE: "speed and memory differ too",
    Effect.BOOKKEEPING: "bookkeeping differs too",
}
"""Effects whose fields are named in one note, with what it begins with."""
_HERE = Place("output", Span(0, 0, 1, 1))


def with_unnamed_differences(
    ledger: Ledger, stages: Sequence[StageRead], writing: Writing, style: str | None
) -> Ledger:
    """The ledger with what changes the learning, and a note for every field that differs and that no line names.

    `stages` are those that were written.
    """
    back = _read_back(ledger, writing, stages[0], style)
    if len(back) != len(stages):
        return ledger
    unnamed: list[Difference] = []
    learning: list[Change] = []
    memory: list[str] = []
    decisions_asked: list[Decision] = []
    still_open = {line.key.lstrip("+") for line in ledger.targets if holds_missing(line.value)}
    for mine, theirs in zip(stages, back, strict=True):
        a, b = _half(ledger, mine), _half(ledger, theirs, target=True)
        listed = differences(a, b, (_does(ledger, mine), _does(ledger, theirs, target=True)))
        worth = {} if writing.same_framework else dict(asked_of(listed, a[0]))
        decisions_asked += worth.values()
        unnamed += (difference for difference in _unnamed(ledger, listed) if difference.path not in worth)
        learning += changes_of(listed, a, b, writing, still_open)
        if not writing.same_framework:
            memory += memory_notes(ledger, writing, mine, theirs, keys_of(b[1], writing))
    lost = _without_kept(ledger) if writing.same_framework else ledger
    learning += lost_settings(lost, stages[0].reading.source.trainer)
    notes = tuple(dict.fromkeys((*ledger.notes, *_notes(unnamed), *memory)))
    already = {decision.key for decision in ledger.decisions}
    decisions = (
        *ledger.decisions,
        *(decision for decision in dict.fromkeys(decisions_asked) if decision.key not in already),
    )
    return replace(ledger, notes=notes, learning=in_order(learning), decisions=decisions)


def _without_kept(ledger: Ledger) -> Ledger:
    """The ledger with those of a fork's own keys alone that the written release refuses, so that they are left out, or that only
    the fork's code acts on, which stands on another release than is written."""
    written = {line.key.lstrip("+") for line in ledger.targets}
    other_release = ledger.source_release != ledger.target_release
    lost = (
        line
        for line in ledger.sources
        if (line.state is State.EXTENSION and line.key not in written) or (other_release and line.of_fork)
    )
    return replace(ledger, sources=tuple(lost))


def _unnamed(ledger: Ledger, listed: Sequence[Difference]) -> Iterator[Difference]:
    keys_by_path = ledger_lines_on(listed, ledger)
    yield from (difference for difference in listed if difference.certain and not keys_by_path[difference.path])


def _notes(listed: Sequence[Difference]) -> Iterator[str]:
    together: dict[Effect, list[str]] = {}
    for difference in listed:
        if difference.known.effect in TOGETHER:
            together.setdefault(difference.known.effect, []).append(_sentence(difference))
        else:
            yield _sentence(difference)
    for effect, sentences in together.items():
        yield f"{TOGETHER[effect]}: {'; '.join(dict.fromkeys(sentences))}"


def _sentence(difference: Difference) -> str:
    name = difference.path.removeprefix("stage.")
    if difference.a.value == difference.b.value:
        idle = difference.b.idle or difference.a.idle
        where = "in the source; here" if difference.b.idle else "here; in the source"
        return f"{name}: acts only {where} {idle or 'nothing looks at it'}"
    if difference.b.idle and difference.b.value is None:
        return f"{name}: {seen_text(difference.path, difference.a)} in the source; here {difference.b.idle}"
    if difference.a.idle and difference.a.value is None:
        return f"{name}: {seen_text(difference.path, difference.b)} here; in the source {difference.a.idle}"
    mine, theirs = (seen_text(difference.path, value) for value in narrowed(difference))
    return f"{name}: {mine} in the source, {theirs} here"


def _half(ledger: Ledger, stage: StageRead, *, target: bool = False) -> tuple[dict[str, Any], Any]:
    framework, release = _run_by(ledger, target=target)
    values = {path: value for path, value in stage.values.items() if value is not None and value not in ({}, [])}
    return values, statements_of(stage, framework, release)


def _does(ledger: Ledger, stage: StageRead, *, target: bool = False) -> Does:
    return DoesWithoutKey(stage, *_run_by(ledger, target=target))


def _run_by(ledger: Ledger, *, target: bool) -> tuple[str, str]:
    """Framework and release of one of the two."""
    if target:
        return ledger.target_framework, ledger.target_release
    return ledger.source_framework, ledger.source_release


def _as_text_has_it(line: TargetLine) -> Value:
    """A value that nobody told stands in a file as what is missing, whatever it depends on."""
    return MISSING if open_keys(line.value) else line.value


def _entries(key: str, value: Value) -> Iterator[tuple[str, Value]]:
    """A mapping's entries, as text that is read has them; any other value as it is."""
    if not isinstance(value, dict) or not value:
        yield key, value
        return
    for name, below in value.items():
        yield from _entries(f"{key}.{name}", below)


def _read_back(ledger: Ledger, writing: Writing, source: StageRead, style: str | None) -> list[StageRead]:
    """The stages of what was written, as rftconf reads it."""
    target = registry.framework(ledger.target_framework)
    recipe = target.recipes.get(writing.trainer)
    program = recipe.program if recipe is not None else target.mains[0] if target.mains else ""
    groups = target.config_groups.get(writing.trainer, ()) if writing.trainer != target.trainer else ()
    written: dict[str, Value] = {}
    for word in groups:
        group, _, chosen = word.partition("=")
        written[group] = chosen
    shipped, stated = stated_on_template(ledger, writing, style)
    written |= {line.key: _as_text_has_it(line) for line in (*ledger.targets, *stated)}
    leaves: dict[str, Leaf] = {}
    for key, whole in written.items():
        mode = Mode(key[: len(key) - len(key.lstrip("+"))])
        leaves |= {bare: Leaf(bare, value, _HERE, _HERE, mode=mode) for bare, value in _entries(key.lstrip("+"), whole)}
    guess = Guess(target.name, ledger.target_release, writing.trainer, ("written so",), certain=True)
    spelled = table_of(target.name).spelled
    known = source.reading.facts
    facts = Facts(
        starter=starter_of(target, ledger.target_release, writing),
        program=program,
        shipped=shipped,
        rows=known.rows,
        rows_asked=known.rows_asked,
    )
    return [
        read_stage(guess, part, name, facts)
        for name, part in stages_of(spelled(leaves) if spelled is not None else leaves)
    ]
