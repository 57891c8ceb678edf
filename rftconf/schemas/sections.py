"""A program's sections tell whether keys can be its own, so that its catalogues stay closed for another's file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("sections.json")
"""Program to the starts of the keys that any of its releases and trainers has; by `scripts/generate_sections.py`."""

_START = re.compile(r"([^.\[<]*)(?:\.([^.\[<]*))?")


def starts_of(keys: Iterable[str]) -> set[str]:
    """Return the starts of keys: `a.b` of `a.b.c`, and `a`, below which anything may stand; `a` and `a.` of `a`."""
    starts: set[str] = set()
    for key in keys:
        top, second = _START.match(key).groups()  # type: ignore[union-attr]
        starts |= {top, f"{top}.{second}" if second else f"{top}."}
    return starts


def of_catalogue(names: Iterable[str]) -> set[str]:
    """The starts of a catalogue's keys: `a` for a key or a list, `a.b` for what lies in a section, and `a.` for the section."""
    starts: set[str] = set()
    for name in names:
        top, second = _START.match(name).groups()  # type: ignore[union-attr]
        starts |= {f"{top}.", f"{top}.{second}"} if second else {top}
    return starts


def has_one(framework: str, starts: Iterable[str]) -> bool:
    """True where a program may know a key of a file; where it is False, none of its releases does."""
    return not _starts(framework).isdisjoint(starts)


@cache
def _starts(framework: str) -> frozenset[str]:
    return frozenset(_all()[framework])


@cache
def _all() -> dict[str, list[str]]:
    sections: dict[str, list[str]] = json.loads(FILE.read_bytes())
    return sections
