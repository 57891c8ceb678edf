"""Applies fixes: one after another, each only if the file reads as well as before and the finding is gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.patch import OverlappingPatchesError, apply
from rftconf.lint import unchanged
from rftconf.text.document import Document

Again: TypeAlias = Callable[[str], tuple[Document, list[Diagnostic]]]
_MOST_ROUNDS = 200
"""Fixes made in one file, so that two that undo each other cannot go on for ever."""
_MOST_READ = 160_000
"""Characters that are read again in all: in a long file fewer fixes are made at once, and the others stay offered."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file after its fixes: its text, the findings that are left, and those that were fixed."""

    text: str
    left: tuple[Diagnostic, ...]
    made: tuple[Diagnostic, ...]
    all_tried: bool = True
    """True where no fix was left for another time; a long file leaves some, since each is read again."""


def fix(
    document: Document,
    diagnostics: list[Diagnostic],
    again: Again,
    *,
    unsafe: bool = False,
    framework: str | None = None,
    release: str | None = None,
) -> Fixed:
    """Make every fix of `diagnostics` that can be made. `again` reads and checks a changed text.

    `framework` and `release` are what the file is said to be for, None where that is guessed.
    """
    fixed_diagnostics, refused = list[Diagnostic](), set[tuple[str, str]]()
    fixed = set[tuple[str, str]]()
    again_refused = all_tried = False
    for _ in range(max(1, min(_MOST_ROUNDS, _MOST_READ // max(1, len(document.text))))):
        # a name that is corrected may be what another finding misses
        named_first = sorted(diagnostics, key=lambda d: not d.code.startswith("KEY"))
        offered = (d for d in named_first if d.fix and (d.fix.safe or unsafe) and _mark(d) not in refused | fixed)
        chance = next(offered, None)
        if chance is None and again_refused:  # what could not be made may be possible now
            refused, again_refused = set(), False
            continue
        if chance is None:
            all_tried = True
            break
        done = attempt(document, diagnostics, chance, again, framework=framework, release=release)
        if done is None:
            refused.add(_mark(chance))
            continue
        document, diagnostics = done
        fixed_diagnostics.append(chance)
        # The same finding once more would mean that its fix does not fix it.
        fixed.add(_mark(chance))
        again_refused = True
    return Fixed(document.text, tuple(diagnostics), tuple(fixed_diagnostics), all_tried)


def attempt(
    document: Document,
    diagnostics: Sequence[Diagnostic],
    chance: Diagnostic,
    again: Again,
    *,
    framework: str | None = None,
    release: str | None = None,
) -> tuple[Document, list[Diagnostic]] | None:
    """The document with the fix of one finding of `diagnostics` made, read and checked again.

    None where that is no better than before: it reads worse, the finding stays, leaves go that no patch took, an error
    comes up in a run that could start, or the run is another one in something that the finding did not name.
    """
    assert chance.fix is not None
    try:
        changed = apply(document.text, chance.fix.patches)
    except (OverlappingPatchesError, ValueError):
        return None
    if changed == document.text:
        return None
    fresh, remaining = again(changed)
    worse = document.readable and not fresh.readable
    worse = worse or (chance.severity is not Severity.ERROR and not _errors(remaining) <= _errors(diagnostics))
    stays = sum(_mark(d) == _mark(chance) for d in remaining) > 0
    lost = len(fresh.leaves) < len(document.leaves) - len(chance.fix.patches)
    if worse or stays or lost or not unchanged.keeps_the_run(document, fresh, chance, framework, release):
        return None
    return fresh, remaining


def _errors(diagnostics: Sequence[Diagnostic]) -> set[str]:
    return {d.code for d in diagnostics if d.severity is Severity.ERROR}


def _mark(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.code, diagnostic.message
