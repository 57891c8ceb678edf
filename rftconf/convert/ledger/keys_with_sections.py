"""A key that is written as a value and has keys below it: a file holds one of the two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rftconf.base.ledger import State
from rftconf.base.symbols import formula
from rftconf.text.keys import conflicting_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rftconf.base.ledger import SourceLine, TargetLine
    from rftconf.mappers.writing import Writing


def leave_out_covered(lines: Sequence[TargetLine], writing: Writing, newest: Mapping[str, str]) -> list[TargetLine]:
    """The lines without values of whole sections of which single keys are written: the loaders take only the keys then.

    `newest` maps a key of the target's release to its name in the newest one, by which the source's side is asked.
    """
    names = [line.key.lstrip("+") for line in lines]
    sections = {above for name in names for above in _above(name)}
    covered = writing.facts.covered
    remaining, clashing = [], conflicting_keys(names)
    for name, line in zip(names, lines, strict=True):
        if name in clashing:
            section, shape = clashing[name]
            why = f"{section} is a {shape} by a key before {name}, which is left out"
            covered |= {name: why, newest.get(name, name): why}
            writing.note(why)
        elif name not in sections:
            remaining.append(line)
        elif line.value not in ({}, None):
            why = f"{name}={_short_text(line.value)} stands for a whole section of which single keys are written: they count"
            covered |= {name: why, newest.get(name, name): why}
            writing.note(why)
    return remaining


def settle_covered(line: SourceLine, key: str, writing: Writing) -> SourceLine:
    """The line as it is, or as lost in part where its value, called `key` in the newest release, was left out."""
    covered = writing.facts.covered
    why = covered.get(key) or covered.get(line.key)
    return line if why is None else replace(line, state=State.NARROWED, targets=(), reason=why)


def _above(name: str) -> list[str]:
    return [name[:i] for i, letter in enumerate(name) if letter in ".[" and i]


def _short_text(value: Any) -> str:
    text = formula(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
