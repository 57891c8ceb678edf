"""Secrets in a text and in values of keys are recognised by name, by form, and by randomness under a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rftconf.base.secrets.assigned_values import LONG_TEXT, assignments, is_key_of
from rftconf.base.secrets.forms import FORMS
from rftconf.base.secrets.names import Kind, kind_of
from rftconf.base.secrets.randomness import is_random_part
from rftconf.base.secrets.stand_ins import HOLDS_REFERENCE, STAND_IN, is_set
from rftconf.base.symbols import Expr, formula

_LONG_SECRET = 60
"""Characters of a secret that may be the first part of a longer one."""
_WORD_GOES_ON = re.compile(r"[\w+/=.~-]*")
_WORD = re.compile(r"[\w-]{20,}")
_LONG_PART = re.compile(r"(?<![A-Za-z0-9])(?P<first>[A-Za-z0-9]{20,512})[A-Za-z0-9]*(?![A-Za-z0-9])")
_ANY_MARK = re.compile("|".join(re.escape(mark) for form in FORMS for mark in form.marks))
_SHORTEST_FORM = 12
"""Characters of the shortest text that a provider's form matches."""


def is_secret(key: str, value: Any) -> bool:
    """Tell whether `key` names a credential that is set, or something in `value` has the form of one."""
    if isinstance(value, str):
        return (_says_short if len(value) < LONG_TEXT else _long_says)(key, value)
    if isinstance(value, bool) or value is None:
        return bool(key_that_is_secret(key))
    if isinstance(value, int):
        return kind_of(key) is Kind.CREDENTIAL and is_set(Kind.CREDENTIAL, str(value))
    if isinstance(value, Expr):
        return bool(secret_spans(formula(value)))
    if isinstance(value, dict):
        return any(is_secret(f"{key}.{name}", item) for name, item in value.items())
    return isinstance(value, list) and any(is_secret(key, item) for item in value)


def key_that_is_secret(key: str) -> str:
    """Return the last part of `key` where it is the credential that the part before it names: `password: {hunter2x: null}`."""
    name, _, last = key.rpartition(".")
    return last if name and is_key_of(name, last) else ""


def is_named(key: str, value: str) -> bool:
    """Tell whether `key` names a credential and `value` sets it, whatever form that has."""
    return is_set(kind_of(key), value)


def _says(key: str, value: str) -> bool:
    return is_set(kind_of(key), value) or next(_forms(value), None) is not None or _assigned_in(value)


_says_short = lru_cache(maxsize=4_000)(_says)
"""The same key and text are asked for where they are read, withheld and written."""


def _long_says(key: str, value: str) -> bool:
    """Tell whether a long text holds a secret; it is searched once, and every key and rule gets that answer."""
    return is_set(kind_of(key), value) or bool(_spans_of_long_text(value))


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of every secret in `text`, in order and without overlaps."""
    return list(_spans_of_long_text(text)) if len(text) >= LONG_TEXT else _spans(text)


@lru_cache(maxsize=4)
def _spans_of_long_text(text: str) -> tuple[tuple[int, int], ...]:
    """A file is looked through by its reader, by the cache of findings and by the gate of outputs."""
    return tuple(_spans(text))


def _spans(text: str) -> list[tuple[int, int]]:
    ranges = sorted({*_forms(text), *((start, end) for start, end, _ in assignments(text))})
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if end - start >= _LONG_SECRET and end > (merged[-1][1] if merged else 0):
            # a pattern looks at so many characters and no more: what goes on is the same word
            end = _WORD_GOES_ON.match(text, end).end()  # type: ignore[union-attr]
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _assigned_in(value: str) -> bool:
    return any(c in value for c in "=: ,＝：") and next(iter(assignments(value)), None) is not None


def _forms(text: str) -> Iterator[tuple[int, int]]:
    if len(text) < _SHORTEST_FORM:
        return
    yield from _random_tokens(text)
    low = text.lower()
    if len(text) < LONG_TEXT and not _ANY_MARK.search(low):
        return
    letters = frozenset(low)
    for form in FORMS:
        # a mark with a letter that the text lacks is not in it, which is known without looking through the text
        if not any(letters.issuperset(mark) and mark in low for mark in form.marks):
            continue
        for match in form.pattern.finditer(text):
            start, end = match.span("value") if "value" in form.pattern.groupindex else match.span()
            if not (
                HOLDS_REFERENCE.search(text, start, end)
                or text[start:end].startswith("$")
                or STAND_IN.fullmatch(text[start:end])
            ):
                yield start, end


def _random_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Yield words that hold a long part of both cases and digits which nobody would type: most providers' tokens, whatever
    stands before that part."""
    for word in _WORD.finditer(text):
        if any(is_random_part(part["first"]) for part in _LONG_PART.finditer(text, *word.span())):
            yield word.span()
