"""Applies fixes: one after another, each only if the file reads as well as before and the finding is gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rftconf.diagnostics import Diagnostic
from rftconf.text.document import Document
from rftconf.text.patch import OverlappingPatchesError, apply

_MOST_ROUNDS = 200
"""Fixes made in one file, so that two that undo each other cannot go on for ever."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """What a file became: its text, the findings that are left, and those that were fixed."""

    text: str
    left: tuple[Diagnostic, ...]
    made: tuple[Diagnostic, ...]


def fix(
    document: Document,
    found: list[Diagnostic],
    again: Callable[[str], tuple[Document, list[Diagnostic]]],
    *,
    unsafe: bool = False,
) -> Fixed:
    """Make every fix of `found` that can be made. `again` reads and checks a changed text."""
    text, made, refused = document.text, list[Diagnostic](), set[tuple[str, str]]()
    for _ in range(_MOST_ROUNDS):
        # a name that is corrected may be what another finding misses
        named_first = sorted(found, key=lambda d: not d.code.startswith("KEY"))
        chance = next((d for d in named_first if d.fix and (d.fix.safe or unsafe) and _mark(d) not in refused), None)
        if chance is None or chance.fix is None:
            break
        done = attempt(document, text, chance, again)
        if done is None:
            refused.add(_mark(chance))
            continue
        text, document, found = done
        made.append(chance)
        # The same finding once more would mean that its fix does not fix it.
        refused.add(_mark(chance))
    return Fixed(text, tuple(found), tuple(made))


def attempt(
    document: Document, text: str, chance: Diagnostic, again: Callable[[str], tuple[Document, list[Diagnostic]]]
) -> tuple[str, Document, list[Diagnostic]] | None:
    """The text with one finding's fix made, read and checked again; None where that is no better than before."""
    assert chance.fix is not None
    try:
        changed = apply(text, chance.fix.patches)
    except (OverlappingPatchesError, ValueError):
        return None
    if changed == text:
        return None
    fresh, left = again(changed)
    worse = document.readable and not fresh.readable
    stays = sum(_mark(d) == _mark(chance) for d in left) > 0
    lost = len(fresh.leaves) < len(document.leaves) - len(chance.fix.patches)
    return None if worse or stays or lost else (changed, fresh, left)


def _mark(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.message
