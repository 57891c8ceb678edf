"""A Python text with its literals and comments alone: what code computes is no credential, whatever it is called."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from rftconf.base.secrets import secret_spans
from rftconf.text.python.parse import TOKEN

_NAMED = re.compile(r"(?:[A-Za-z_]\w{0,80}|[\"'][\w.-]{1,80}[\"']\s{0,9}\]?)\s{0,9}(?<![=!<>])[:=,]\s{0,9}$")
"""A name, or the name of an entry, that stands before the literal which is its value."""
_LOOKED_AT = 200
_BRACES = re.compile(r"\{[^{}\n]{0,200}\}")
_VISIBLE = re.compile(r"[^\n]")


@lru_cache(maxsize=2)
def literals_of(text: str) -> str:
    """Return a text of the same length in which code is blank, except the names that literals are given to."""
    blank = _VISIBLE.sub(" ", text)
    spans = secret_spans(text)
    starts = [start for start, _ in spans]
    if not spans:
        return blank
    pieces: list[str] = []
    position = 0
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if kind not in ("string", "comment"):
            continue
        start, end = token.start(kind), token.end()
        written = text[start:end]
        if kind == "string" and set("fF") & set(token["prefix"]):
            written = _BRACES.sub(lambda match: " " * len(match[0]), written)
        low = max(position, token.start() - _LOOKED_AT)
        name = _NAMED.search(text[low : token.start()]) if kind == "string" else None
        if name is not None:
            begin = low + name.start()
            pieces += [blank[position:begin], name[0].replace(",", ":"), blank[token.start() : start], written]
        elif kind == "comment" or _meets(spans, starts, start, end):
            pieces += [blank[position:start], written]
        else:
            continue
        position = end
    return "".join([*pieces, blank[position:]])


def _meets(spans: list[tuple[int, int]], starts: list[int], start: int, end: int) -> bool:
    """True where one of the spans, which are in order, has a character between `start` and `end`."""
    number = bisect_left(starts, end) - 1
    return number >= 0 and spans[number][1] > start
