"""The keys of one release as an editor asks for them: children of a mapping, values of a key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rftconf.lsp.cursor import Cursor
from rftconf.report.values import render_value
from rftconf.schemas import registry, versions
from rftconf.schemas.catalogue import Catalogue, Key

_STEP = re.compile(r"[^.\[<]+")
MOST = 1_000
"""Proposals in one answer; no catalogue has more keys below one node."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One completion: `insert` takes the place of what is typed. `key` is what its documentation is about."""

    label: str
    insert: str
    kind: str
    """`key`, `section` or `value`."""
    detail: str
    key: str


def proposals(
    known: Catalogue, cursor: Cursor, *, overrides: bool, written: frozenset[str] = frozenset()
) -> list[Proposal]:
    """Return proposals for the cursor, in the catalogue's order; `written` are keys that the file has already."""
    if cursor.kind == "value":
        return list(_values(known, cursor.path, overrides=overrides))[:MOST]
    proposals = _overrides(known, cursor) if overrides else _children(known, cursor.path)
    taken = {*written, *(name[:index] for name in written for index in range(len(name)) if name[index] == ".")}
    return [p for p in proposals if p.key not in taken and p.label.startswith(cursor.typed[:1])][:MOST]


def _overrides(known: Catalogue, cursor: Cursor) -> Iterator[Proposal]:
    # two letters narrow it down; the editor does the rest
    head = cursor.typed.rpartition(".")[0]
    for name, key in _offered(known):
        if "[]" in name or "<*>" in name or not name.startswith(head):
            continue
        plus = "+" if key.plus_only and not cursor.prefix and registry.framework(known.framework).adds_with_plus else ""
        yield Proposal(name, f"{plus}{name}=", "key", _detail(key), name)


def _children(known: Catalogue, path: str) -> Iterator[Proposal]:
    node = known.canonical(f"{path}.\0").removesuffix(".\0") if path else ""
    above = f"{node}." if node else ""
    names: set[str] = set()
    for name, key in _offered(known):
        if not name.startswith(above):
            continue
        step = _STEP.match(name, len(above))
        if step is None or step[0] in names:
            continue
        names.add(step[0])
        whole = step.end() == len(name) and not known.is_node(name)
        detail = _detail(key) if whole else "section"
        kind, insert = ("key", f"{step[0]}: ") if whole else ("section", f"{step[0]}:")
        yield Proposal(step[0], insert, kind, detail, f"{above}{step[0]}")


@lru_cache(maxsize=8)
def _offered(known: Catalogue) -> tuple[tuple[str, Key], ...]:
    """Keys that people set: not those that the framework fills in itself, nor those that nothing reads."""
    return tuple(
        (name, key)
        for name, key in known.keys.items()
        if not key.automatic and not versions.dead(known.framework, known.release, name, known.trainer)
    )


def _values(known: Catalogue, path: str, *, overrides: bool) -> Iterator[Proposal]:
    key = known.get(path)
    if key is None:
        return
    values = [value for value in (*key.choices, *known.names(path)) if isinstance(value, str)]
    kinds = key.type.split("|")
    if "bool" in kinds:
        values += ["True", "False"] if overrides else ["true", "false"]
    if (
        isinstance(key.default, (int, float, str))
        and not isinstance(key.default, bool)
        and key.default not in ("", "???")
    ):
        values.append(str(key.default))
    if key.optional and values and key.type != "any":
        values.append("null")
    for value in dict.fromkeys(values):
        detail = "default" if value == render_value(key.default) else ""
        yield Proposal(value, value, "value", detail, path)


def _detail(key: Key) -> str:
    kind = f"{key.type}{' or null' if key.optional and key.type != 'any' else ''}"
    if key.mandatory:
        return f"{kind}, must be given"
    return kind if key.default in (None, "") else f"{kind}, default {render_value(key.default)}"
