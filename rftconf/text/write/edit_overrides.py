"""Changes to single overrides of a launch script, or to bare override lines, as patches."""

from __future__ import annotations

import re

from rftconf.base.patch import Patch
from rftconf.base.span import LineIndex, Span
from rftconf.base.symbols import Value
from rftconf.text.document import Document, Leaf, Mode

_PLAIN = re.compile(r"[\w./:@%+-]+\Z")
_QUOTES = "\"'"


def spelled(value: Value) -> str | None:
    """A plain value as an override has it, None where it would need quotes."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "True", False: "False"}[value]
    text = str(value)
    return text if isinstance(value, (int, float, str)) and _PLAIN.match(text) else None


def put(document: Document, leaf: Leaf, value: Value) -> list[Patch] | None:
    """Another value for an override that is there."""
    text = spelled(value)
    span = leaf.place.span
    old = document.text[span.start : span.end]
    if text is None or not _value_only(document, leaf):
        return None
    quoted = len(old) > 1 and old[0] == old[-1] and old[0] in _QUOTES
    return [Patch(span, f"{old[0]}{text}{old[0]}" if quoted else text)]


def add(document: Document, near: Leaf, key: str, value: Value) -> list[Patch] | None:
    """A new override in front of the one of `near`."""
    text = spelled(value)
    return None if text is None else _insert(document, near, f"{key}={text}")


def drop(document: Document, leaf: Leaf) -> list[Patch] | None:
    """Take an override out, with its line where it stands alone there."""
    start, end = _word(document, leaf)
    return None if start < 0 else drop_word(document, start, end)


def drop_word(document: Document, start: int, end: int) -> list[Patch]:
    """Take the argument from `start` to `end` out, with its line where it stands alone there."""
    whole = document.text
    line_start = whole.rfind("\n", 0, start) + 1
    line_end = whole.find("\n", end)
    line_end = len(whole) if line_end < 0 else line_end
    before, after = whole[line_start:start], whole[end:line_end]
    if before.strip() or (after.strip() not in ("", "\\") and not after.strip().startswith("#")):
        while whole[start - 1 : start] in (" ", "\t") and start > line_start:
            start -= 1
        return [_patch(document, start, end)]
    if after.strip() == "\\" or not whole[:line_start].rstrip("\n").endswith("\\"):
        return [_patch(document, line_start, min(line_end + 1, len(whole)))]
    # the last line of a continued command: the backslash above it goes as well
    cut = len(whole[:line_start].rstrip("\n")) - 1
    while whole[cut - 1 : cut] in (" ", "\t"):
        cut -= 1
    return [_patch(document, cut, end)]


def rename(document: Document, leaf: Leaf, key: str, prefix: str | None = None) -> list[Patch] | None:
    """Another key for an override, with another prefix (`+` or none) where one is given."""
    span, mode = leaf.key_place.span, leaf.mode.value
    if document.text[span.start : span.end] != leaf.key or not is_override(document, leaf):
        return None
    if prefix is None:
        return [Patch(span, key)]
    start = span.start - len(mode)
    return [_patch(document, start, span.end, prefix + key)] if document.text[start : span.start] == mode else None


def is_override(document: Document, leaf: Leaf) -> bool:
    """False for a key of a config that a here-document of the script holds."""
    return leaf.mode is Mode.DELETE or document.text[leaf.key_place.span.end :].lstrip(_QUOTES).startswith("=")


def _value_only(document: Document, leaf: Leaf) -> bool:
    """True where the leaf's place is its value and nothing else of the word."""
    start, key_end = leaf.place.span.start, leaf.key_place.span.end
    between = document.text[key_end:start]
    return document.text[leaf.key_place.span.start : key_end] == leaf.key and between.strip(_QUOTES) == "="


def _word(document: Document, leaf: Leaf) -> tuple[int, int]:
    """The whole argument, quotes and prefix included; -1 where the places do not tell."""
    if not _value_only(document, leaf):
        return -1, -1
    whole = document.text
    start, end = leaf.key_place.span.start - len(leaf.mode.value if leaf.mode is not Mode.SET else ""), 0
    end = leaf.place.span.end
    opened = _quotes(whole[start:end])
    while whole[start - 1 : start] and whole[start - 1] in _QUOTES and whole[end : end + 1] == whole[start - 1]:
        start, end = start - 1, end + 1
    if opened and whole[end : end + 1] == opened:
        end += 1
    following = whole[end : end + 1]
    return (start, end) if following in ("", " ", "\t", "\n", "\r", ")", '"') else (-1, -1)


def _quotes(text: str) -> str:
    """The quote that `text` leaves open, if any."""
    open_with = ""
    for char in text:
        if not open_with and char in _QUOTES:
            open_with = char
        elif char == open_with:
            open_with = ""
    return open_with


def _insert(document: Document, near: Leaf, word: str) -> list[Patch] | None:
    start, end = _word(document, near)
    return None if start < 0 else insert_word(document, start, end, word)


def insert_word(document: Document, start: int, end: int, word: str) -> list[Patch]:
    """Put `word` as an argument in front of the one from `start` to `end`, on a line of its own where that one has one."""
    whole = document.text
    line_start = whole.rfind("\n", 0, start) + 1
    indent = whole[line_start:start]
    if indent.strip():
        return [_patch(document, start, start, f"{word} ")]
    line_end = whole.find("\n", end)
    after = whole[end : len(whole) if line_end < 0 else line_end].strip()
    continued = after == "\\" or whole[:line_start].rstrip("\n").endswith("\\")
    end_of_line = " \\\n" if continued else "\n"
    return [_patch(document, start, start, f"{word}{end_of_line}{indent}")]


def _patch(document: Document, start: int, end: int, text: str = "") -> Patch:
    span: Span = LineIndex(document.text).span(start, end)
    return Patch(span, text)
