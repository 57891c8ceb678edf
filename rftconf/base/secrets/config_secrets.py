"""The secrets of one config: what its texts and keys call so, to be found wherever the same value stands again.

What a file calls a secret may stand anywhere in an output, under another key, cut short or escaped.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from rftconf.base.secrets.detection import is_named, is_secret, key_that_is_secret, secret_spans
from rftconf.base.symbols import Expr, formula

_SHORTEST = 6
"""Characters of a value that is looked for outside its own key; shorter ones are parts of words."""
_END = 10
"""Characters of a long value's beginning and end that are looked for: a report may leave out the rest."""
_DENSE = re.compile(r"[\w+/=.~!@#$%^&*-]+").fullmatch
_LONG = 16
"""Characters of a word that is no part of another one by chance."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Texts that are secrets, in every form in which an output may hold them."""

    values: Mapping[str, bool] = field(default_factory=dict, repr=False)
    """True marks a short word that counts only where no letter stands beside it."""

    def __or__(self, other: Secrets) -> Secrets:
        """Return the secrets of both."""
        return Secrets({**self.values, **other.values})

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of every place where one of them stands in `text`; they may overlap."""
        for value, stands_alone in self.values.items():
            position = text.find(value)
            while position >= 0:
                end = position + len(value)
                if not (stands_alone and (_joins(text, position - 1) or _joins(text, end))):
                    yield position, end
                position = text.find(value, end)

    def are_in(self, key: str, value: Any) -> bool:
        """Tell whether `value` is a secret by its key or form, or has a part that is or holds one of these secrets."""
        if is_secret(key, value):
            return True
        return bool(self.values) and any(
            next(self.spans(part), None) is not None for part in _texts(key, value, every=True)
        )


NO_SECRETS = Secrets()


def secrets_of(texts: Iterable[str], leaves: Iterable[tuple[str, Any]] = ()) -> Secrets:
    """Return what these texts call secrets, and the values of keys that are some."""
    values: dict[str, None] = {}
    for text in texts:
        values.update((text[start:end], None) for start, end in secret_spans(text))
    for key, value in leaves:
        if is_secret(key, value):
            for part in _texts(key, value):
                inside = () if is_named(key, part) else secret_spans(part)
                for start, end in inside or ((0, len(part)),):
                    values[part[start:end]] = None
    return secrets_made(values)


def secrets_made(values: Iterable[str]) -> Secrets:
    """Return these texts as secrets, whatever they look like."""
    return Secrets({form: short for value in values for form, short in _forms_of(value)})


def _joins(text: str, depth: int) -> bool:
    return 0 <= depth < len(text) and text[depth].isalpha()


def _forms_of(value: str) -> Iterator[tuple[str, bool]]:
    for line in value.strip().splitlines():
        if len(line) < _SHORTEST or line.startswith("-----"):
            continue
        # a short word may be a part of another one
        short = (line.isalpha() or line.isdigit()) and len(line) < _LONG
        written = json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1], html.escape(line)
        # a shell may change the case of what it hands on
        for form in (line, *written, _percent_encoded(line), line.upper(), line.lower()):
            yield form, short
        if len(line) >= 2 * _END:
            # what begins as a mapping or a sentence does is no sign of one
            yield from ((end, False) for end in (line[:_END], line[-_END:]) if _DENSE(end))


@lru_cache(maxsize=4)
def _percent_encoded(text: str) -> str:
    """Return `text` as a URL has it; a file and the file that it becomes may hold the same megabyte."""
    return quote(text, safe="", errors="replace")


def _texts(key: str, value: Any, *, every: bool = False) -> Iterator[str]:
    """The texts of a value that are secrets; `every`: all of them."""
    if value is None or isinstance(value, bool):
        yield from filter(None, (key_that_is_secret(key),))
    elif isinstance(value, (str, int)):
        if every or is_secret(key, value):
            yield str(value)
    elif isinstance(value, Expr):
        yield from (formula(value),) if every else ()
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(f"{key}.{name}", item, every=every)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(key, item, every=every)
