"""Values that nobody told: what the target leaves open, and how a person tells it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import NoneType

from rftconf.base.ledger import LOSSES, Decision, SourceLine, State, TargetLine
from rftconf.base.secrets import is_credential
from rftconf.base.span import Place
from rftconf.base.symbols import (
    MISSING,
    OpenKey,
    ShellOnly,
    Value,
    Var,
    atoms,
    formula,
    is_symbolic,
    names_in,
    open_keys,
    to_interpolation,
)
from rftconf.convert.ledger.provenance import has_key, shown_in
from rftconf.load.loaded import Loaded
from rftconf.load.stage import StageRead
from rftconf.mappers.outcomes import Outcome
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import natives_of
from rftconf.mappers.words_of_keys import words_of_field, words_of_keys, words_taken
from rftconf.mappers.writing import Writing
from rftconf.plan.options import OPTIONS
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.closed_words import words_of
from rftconf.text.document import Leaf, Via
from rftconf.text.hydra.override_parser import shortened
from rftconf.text.placeholders import placeholders_in

EMPTY = '""'
_LONGEST = 200
_MOST_KEYS = 2
"""Keys of the source that one question names."""
_ASSIGNED = re.compile(
    r"[\w.\[\]{}$/@+-]+=|.* is not written here|\S+ \S+ default of |.*, the \S+ \S+ default|.*which has no key for it|what \S+ \S+ does without |\S+ follows "
)
"""Comments that say what the source has, and not how the value came about."""


def is_open(value: Value, *, shell: bool) -> bool:
    """True for a value that the target cannot hold: nobody told it, or only a shell could compute it."""
    if holds_missing(value) or (shell and not names_in(value).isdisjoint(OPTIONS)):
        return True
    return not shell and is_symbolic(value) and not _passes(value)


def holds_missing(value: Value) -> bool:
    """True for a value that nobody told, or a list or mapping with one in it."""
    if isinstance(value, (list, dict)):
        return any(map(holds_missing, value.values() if isinstance(value, dict) else value))
    return value == MISSING or bool(open_keys(value))


def _passes(value: Value) -> bool:
    if isinstance(value, list):
        return all(not is_symbolic(item) or _passes(item) for item in value)
    return to_interpolation(value) is not None


def mark_open(lines: list[TargetLine], writing: Writing, *, shell: bool) -> None:
    """Mark plan values whose target line is left open as unresolved: they were not kept, whatever their row noted."""
    for line in lines:
        if not is_open(line.value, shell=shell):
            continue
        for path, outcome in writing.outcomes.items():
            if line.key in outcome.targets and outcome.state not in LOSSES:
                note = _why_not_written(line.value)
                writing.outcomes[path] = replace(outcome, state=State.UNRESOLVED, note=outcome.note or note)


def _why_not_written(value: Value) -> str:
    if value == MISSING:
        return "the source does not tell"
    return f"needs the value of {formula(value)}" if names_in(value) else "it is known only when the run starts"


def option_for(name: str, words: tuple[str, ...] = ()) -> str:
    """Return the option that gives a name its value on the command line: a variable, a script's argument, a count.

    `words`: what the value may be, where that is one of a few.
    """
    return OPTIONS.get(name, '--args "..."' if name.isdigit() else f"--set {name}={'|'.join(words) or '...'}")


def _where_script_ends(name: str, asks: Mapping[str, Place]) -> str:
    what = f"argument {name}" if name.isdigit() else f"${name}"
    return f"; the script ends at line {asks[name].span.line} without {what}" if name in asks else ""


def unresolved(
    lines: list[TargetLine],
    writing: Writing,
    stage: StageRead | None = None,
    asks: Mapping[str, Place] | None = None,
    assigned: Mapping[str, str] | None = None,
    *,
    shell: bool,
) -> list[Decision]:
    """Values that nobody told first, then the variables that the target reads when it starts.

    `stage`: where the values come from; None where nothing was read. `asks` are the names without which the source's
    script ends, `assigned` its variables and the text that each gets.
    """
    asks = asks or {}
    decisions, readers = [], dict[str, list[str]]()
    for line in lines:
        still_open = is_open(line.value, shell=shell)
        if still_open:
            values = _unknown_values_of_line(line, writing)
            names = sorted(frozenset().union(*map(names_in, values.values())))
            why = _why_open(line, writing) + "".join(_where_script_ends(name, asks) for name in names)
            options = (*ways_to_tell(values, stage), *_variables_of_commands(values, assigned or {}))
            choices = options or _target_words(line, writing) or (f"a value for {line.key}",)
            decisions.append(Decision(line.key, why, choices, has=_has(line, writing, stage)))
        for name in () if still_open else sorted(names_in(line.value)):
            readers.setdefault(name, []).append(line.key)
    for name, users in readers.items():
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        why = f"it is read when the run starts ({users[0]}{more}){_where_script_ends(name, asks)}"
        # a secret that --set gives would be withheld again
        choice = "export it where the run starts" if is_credential(name) else f"{option_for(name)} writes its value"
        decisions.append(Decision(f"${name}", why, (choice,)))
    return decisions


def left_open(
    loaded: Loaded,
    lines: list[TargetLine],
    sources: tuple[SourceLine, ...],
    writing: Writing,
    stage: StageRead,
    *,
    shell: bool,
) -> list[Decision]:
    """Return decisions about values that nobody gave, and those that the source leaves for a person to fill in."""
    untold = unresolved(lines, writing, stage, loaded.document.asks, _assigned(loaded), shell=shell)
    unread = [] if writing.same_framework else rows_left_unread(stage)
    return [*untold, *unread, *placeholders(loaded, sources)]


def placeholders(loaded: Loaded, sources: tuple[SourceLine, ...]) -> list[Decision]:
    """One question for each placeholder (`<your_path>`, `/path/to/model`): where it stands, and what gives its value.

    A variable is asked for once, however many keys it reaches.
    """
    leaves = loaded.document.last()
    decisions: dict[str, Decision] = {}
    for line in sources:
        leaf = leaves.get(line.key)
        placeholder = next(placeholders_in(line.value), None)
        if leaf is None or placeholder is None or line.state in (State.DEAD_IN_SOURCE, State.WITHHELD):
            continue
        variable = _variable_of(loaded, leaf, placeholder)
        name, place = (variable.name, variable.place) if variable is not None else (line.key, leaf.place)
        placeholder_text = (
            placeholder if "<" in placeholder or not isinstance(line.value, str) else shortened(line.value)
        )
        reaches = f"; it becomes {line.targets[0]}" if line.targets else ""
        why = f"{placeholder_text} ({place.file}:{place.span.line}) is a placeholder: fill in the value{reaches}"
        decisions.setdefault(name, Decision(name, why, (f"--set {name}=...",)))
    return list(decisions.values())


def _variable_of(loaded: Loaded, leaf: Leaf, placeholder: str) -> Via | None:
    """The shell variable whose assigned text holds the placeholder, None where the key's own text does."""
    document = loaded.document
    return next(
        (
            via
            for via in leaf.via
            if via.place.file == document.name
            and placeholder in document.text[via.place.span.start : via.place.span.end]
        ),
        None,
    )


def _assigned(loaded: Loaded) -> dict[str, str]:
    """The script's variables that reach its keys, and the text that each gets there."""
    document = loaded.document
    vias = (via for leaf in document.leaves for via in leaf.via if via.place.file == document.name)
    return {via.name: document.text[via.place.span.start : via.place.span.end] for via in vias}


def _variables_of_commands(values: Mapping[str, Value], assigned: Mapping[str, str]) -> tuple[str, ...]:
    """Options that give a variable its value where the script has a command print it."""
    parts = (
        part for value in values.values() for part in atoms(value) if isinstance(part, ShellOnly) and not part.names
    )
    names = (next((name for name, text in assigned.items() if part.source in text), None) for part in parts)
    return tuple(dict.fromkeys(option_for(name) for name in names if name is not None))


def _unknown_values_of_line(line: TargetLine, writing: Writing) -> dict[str, Value]:
    """The unknown values that a line stands for, by plan field; its own has no field."""
    if is_symbolic(line.value) and not isinstance(line.value, OpenKey):
        return {"": line.value}
    paths = (path for path, outcome in writing.outcomes.items() if _reaches(outcome, line))
    values = {path: writing.values.get(path) for path in paths}
    return {**{path: value for path, value in values.items() if is_symbolic(value)}, "": line.value}


def _reaches(outcome: Outcome, line: TargetLine) -> bool:
    """True where a plan field ends in this key: one that an older release takes with `+` is one key with the plain one."""
    return line.key.lstrip("+") in {target.lstrip("+") for target in outcome.targets}


def _why_open(line: TargetLine, writing: Writing) -> str:
    """Return the reason why the target does not get the source's value."""
    notes = (outcome.note for outcome in writing.outcomes.values() if _reaches(outcome, line))
    note = next(filter(None, notes), "")
    comment = "" if _ASSIGNED.match(line.comment) else line.comment
    if not line.sources:
        comment = comment.partition("; = ")[0]  # the note has the formula behind it
    reasons = [text for text in (comment, note) if text]
    if not reasons:
        return line.comment if line.comment and not line.sources else "the source does not tell it"
    texts = dict.fromkeys(text for text in reasons if not any(text in longer for longer in reasons if longer != text))
    return "; ".join(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…" for text in texts)


def _has(line: TargetLine, writing: Writing, stage: StageRead | None) -> str:
    """Return the source's keys for a target's key, with their values, also those that are its release's defaults."""
    if stage is None:
        return ""
    source = stage.reading.source
    title = f"{registry.framework(source.framework).title} {source.release}"
    paths = [path for path, outcome in writing.outcomes.items() if _reaches(outcome, line)]
    keys = dict.fromkeys(key for path in paths if path in stage.origins for key in stage.origins[path].keys)
    values = [f"{source.as_given(key)}={shown_in(source, key) or EMPTY}" for key in keys if source.written(key)]
    silent = (key for key in keys if has_key(source, key) and not isinstance(source.value(key), (OpenKey, NoneType)))
    values = values or [f"{source.as_given(key)}={shown_in(source, key)}, the default of {title}" for key in silent]
    return "; ".join(values[:_MOST_KEYS])


def _target_words(line: TargetLine, writing: Writing) -> tuple[str, ...]:
    """The words that the target's release takes for a key whose value nobody told, or that its row has."""
    known = catalogue.load(writing.framework, writing.release, writing.trainer)
    paths = (path for path, outcome in writing.outcomes.items() if _reaches(outcome, line))
    by_rows = (words_taken(writing.table, writing, path) for path in paths)
    key = line.key.lstrip("+")
    words = words_of_keys(known, (key,)) or next(filter(None, by_rows), ())
    words = words or words_of(writing.framework, writing.release, without_indices(key))
    return tuple(
        word for word in words if not versions.refused(writing.framework, writing.release, line.key.lstrip("+"), word)
    )


def ways_to_tell(values: Mapping[str, Value], stage: StageRead | None) -> tuple[str, ...]:
    """Return the options that give plan fields their values, each name once; with the words that a field has."""
    hints: dict[str, str] = {}
    for path, value in values.items():
        words: tuple[str, ...] = ()
        if stage is not None and path in stage.origins and isinstance(value, (Var, OpenKey)):
            words = _words(stage, path, stage.origins[path].keys)
        for name in sorted(names_in(value)):
            hints.setdefault(name, option_for(name, words))
    return tuple(dict.fromkeys(hints.values()))


def _words(stage: StageRead, path: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    """The source's words for a plan field, by one of its keys or by its row."""
    source = stage.reading.source
    known = catalogue.load(source.framework, None, source.trainer)
    return words_of_keys(known, keys) or words_of_field(stage.reading.table, path)


def rows_left_unread(stage: StageRead) -> list[Decision]:
    """Keys that several plan fields hang on, whose value nobody told: what they say is lost until it is."""
    decisions = []
    for index, why in stage.reading.unread_rows.items():
        for key in natives_of(stage.reading.table.rows[index]):
            value = stage.reading.native(key)
            if stage.reading.written(key) and is_symbolic(value):
                words = _words(stage, "", (key,))
                decisions.append(Decision(key, why, tuple(option_for(name, words) for name in sorted(names_in(value)))))
    return decisions
