"""Which parts of a config a program has at all, so that for a file of another framework its catalogues stay closed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("sections.json")
"""Program to the starts of the keys that any of its releases and trainers has; by `scripts/generate_sections.py`."""

_START = re.compile(r"([^.\[<]*)(?:\.([^.\[<]*))?")


def starts_of(key: str) -> tuple[str, ...]:
    """What tells where `key` belongs: `a.b` of `a.b.c`, and `a`, below which anything may be allowed."""
    top, second = _START.match(key).groups()  # type: ignore[union-attr]
    return (top, f"{top}.{second}") if second else (top,)


def of_catalogue(names: Iterable[str]) -> set[str]:
    """The starts of a catalogue's keys: `a` for a key or a list, `a.b` for what lies in a section, and `a.` for the section."""
    found: set[str] = set()
    for name in names:
        top, *more = starts_of(name)
        found |= {*more, f"{top}."} if more else {top}
    return found


def has_one(framework: str, keys: Iterable[str]) -> bool:
    """True where a program may know one of `keys`; where it is False, none of its releases does."""
    have = _starts(framework)
    return any(
        start in have or (len(starts) == 1 and f"{start}." in have)
        for starts in map(starts_of, keys)
        for start in starts
    )


@cache
def _starts(framework: str) -> frozenset[str]:
    return frozenset(_all()[framework])


@cache
def _all() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(FILE.read_bytes())
    return found
