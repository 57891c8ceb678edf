"""This module tells a word that looks drawn by chance: a key of letters and digits that nobody would type."""

from __future__ import annotations

import re
from itertools import pairwise

_HEX = re.compile(r"[0-9a-f]{16,}|[0-9A-F]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LEAST_CHANGES = 0.42
"""Six in ten neighbours differ in case, or are letter and digit, in a random word; one in three does in a name."""
_PLAIN_RUN = re.compile(r"[a-z]{4,}|[A-Z]{6,}|\d{4,}")
_MOST_PLAIN = 0.4
"""The share of characters in such runs at which a word is a name, as `Qwen3MoeDecoderLayer` is."""
_RUN = re.compile(r"[A-Za-z0-9]{10,}")
_SHORTEST_WORD = 8
_MARK_INSIDE = re.compile(r"\w[!@#%^&*?]|[!@#%^&*?]\w")
"""A mark beside a letter or digit; a step of a key that is a mark alone, `env.grid_vocab.@`, is no part of a password."""


def looks_random(value: str) -> bool:
    """True where `value` looks drawn by chance: a long run of mixed letters and digits, or of hexadecimal digits."""
    if len(value) < _SHORTEST_WORD or ("/" in value.rstrip("/=") and "." in value) or any(c.isspace() for c in value):
        return False
    if (_HEX.fullmatch(value) and not value.isdigit()) or (_MARK_INSIDE.search(value) and _classes(value) >= 3):
        return True
    return any(_changes(run[0]) >= 3 and _classes(run[0]) >= 2 and _has_digit(run[0]) for run in _RUN.finditer(value))


def is_random_part(part: str) -> bool:
    """True where a long run of letters and digits changes between them as nobody would type it."""
    if _classes(part) < 3 or _changes(part) < _LEAST_CHANGES * (len(part) - 1):
        return False
    return sum(len(run) for run in _PLAIN_RUN.findall(part)) < _MOST_PLAIN * len(part)


def _classes(text: str) -> int:
    return sum(
        any(test(c) for c in text) for test in (str.islower, str.isupper, str.isdigit, lambda c: not c.isalnum())
    )


def _changes(text: str) -> int:
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in text]
    return sum(a != b for a, b in pairwise(kinds))


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)
