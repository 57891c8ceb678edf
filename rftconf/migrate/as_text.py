"""The report of a migration of a file: for people, and as plain JSON data."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from rftconf.base.secrets import is_secret
from rftconf.diff.as_text import value_text
from rftconf.diff.common_entries import differing
from rftconf.migrate.differences_left import Nature, Unlike
from rftconf.migrate.key_changes import KEPT, KeyEdit, Kind
from rftconf.report.screen import Screen, joined, printable
from rftconf.report.values import place_json, value_json
from rftconf.schemas import registry

if TYPE_CHECKING:
    from rftconf.migrate.migrate import Migration

VERSION = 1
"""Of the JSON form. It grows only when a field changes its meaning or goes."""
TITLES = {
    Nature.LOST: ("Lost", "red"),
    Nature.RELEASE: ("Other in this release whatever the file says", "yellow"),
    Nature.NEW: ("Said by this release only", "dim"),
}


def difference_text(done: Migration) -> str:
    """The change as a unified diff."""
    name = printable(done.document.name).lstrip("/")
    before, after = done.document.text.splitlines(keepends=True), done.text.splitlines(keepends=True)
    lines = list(unified_diff(before, after, f"a/{name}", f"b/{name}"))
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def migration_text(done: Migration, screen: Screen, *, full: bool = False) -> str:
    """The account: every edit with its line and reason, then what is not the same. `full` also lists what is only new."""
    lines = [screen.style(_heading(done), "bold", "green" if done.faithful and not done.refused else "red")]
    for edit in sorted(done.edits, key=lambda edit: edit.leaf.key_place.span.start):
        lines += _edit(edit, screen)
    for pin in done.pins:
        lines += _entry(f"pinned  {pin.key} = {value_text(pin.key, pin.value)}", pin.why, screen)
    for nature, (title, colour) in TITLES.items():
        leftovers = [leftover for leftover in done.unlike if leftover.nature is nature]
        if leftovers and (full or nature is not Nature.NEW):
            lines += ["", screen.style(title, colour)]
            lines += [line for leftover in leftovers for line in _unlike(leftover, screen)]
    lines += [line for note in done.notes for line in screen.wrap(note, 0)]
    return joined(lines)


def _heading(done: Migration) -> str:
    known = registry.framework(done.found.framework)
    changed = sum(edit.changes_text for edit in done.edits)
    parts = [f"{changed} {'edit' if changed == 1 else 'edits'}"]
    parts += [f"{len(done.pins)} defaults pinned"] if done.pins else []
    lost = sum(leftover.nature is Nature.LOST for leftover in done.unlike) + len(done.keys_that_stay_wrong)
    refused = len(done.refused)
    summary = ", ".join(
        [
            *([f"{lost} lost"] if lost else []),
            *(
                [f"{refused} {'key' if refused == 1 else 'keys'} left that {known.title} {done.to} refuses"]
                if refused
                else []
            ),
        ]
    )
    what = ", ".join(parts) if changed or done.pins else "nothing to change"
    return f"{printable(done.document.name)}: {known.title} {done.found.release} to {done.to}: {what}; {summary or 'nothing lost'}"


def _edit(edit: KeyEdit, screen: Screen) -> Iterator[str]:
    line = edit.leaf.key_place.span.line
    text = f"{line:>5}  {edit.kind}  {printable(edit.was)}"
    if edit.key is not None and edit.key != edit.was:
        text += f" → {edit.key}"
    if edit.value is not KEPT:
        text += f" = {value_text(edit.key or '', edit.value)}"
    for beside in edit.beside:
        text += f" and {beside.key}" + (
            f" = {value_text(beside.key, beside.value)}" if beside.value is not KEPT else ""
        )
    yield from _entry(text, edit.why, screen)


def _entry(text: str, why: str, screen: Screen) -> Iterator[str]:
    yield f"  {text}"
    if why:
        yield from (f"         {line}" for line in screen.wrap(why, 9))


def _unlike(leftover: Unlike, screen: Screen) -> Iterator[str]:
    a, b = differing(leftover.a, leftover.b)
    yield from _entry(
        f"{leftover.name}: {value_text(leftover.name, a)} → {value_text(leftover.name, b)}", leftover.why, screen
    )


def migration_json(done: Migration, *, diff: bool = False) -> dict[str, Any]:
    """The migration as JSON data, secrets absent; with `diff` also the change itself, with the lines around it."""
    changes = {"diff": difference_text(done)} if diff else {}
    return {
        "version": VERSION,
        "file": done.document.name,
        "framework": done.found.framework,
        "from_release": done.found.release,
        "to_release": done.to,
        "changed": done.changed,
        "faithful": done.faithful,
        "edits": [_edit_json(edit) for edit in done.edits],
        "pins": [{"key": pin.key, "value": _value(pin.key, pin.value), "why": pin.why} for pin in done.pins],
        "differences": [
            {"name": u.name, "nature": str(u.nature), "a": _value(u.name, u.a), "b": _value(u.name, u.b), "why": u.why}
            for u in done.unlike
        ],
        "notes": list(done.notes),
        **changes,
    }


def _edit_json(edit: KeyEdit) -> dict[str, Any]:
    return {
        "kind": str(edit.kind),
        "place": place_json(edit.leaf.key_place),
        "key": edit.was,
        "became": edit.key,
        "value": None if edit.value is KEPT else _value(edit.was, edit.value),
        "beside": [beside.key for beside in edit.beside],
        "why": edit.why,
        "lossy": edit.lossy,
        "refused": edit.refused,
        "made": edit.kind is not Kind.LEFT,
    }


def _value(name: str, value: Any) -> Any:
    return None if value is None or is_secret(name.rpartition(".")[2], value) else value_json(value)
