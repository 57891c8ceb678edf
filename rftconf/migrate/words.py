"""The bounds of the argument that holds an override, by the shell's rules for quotes."""

from __future__ import annotations

from rftconf.text.document import Document, Leaf
from rftconf.text.write.edit_overrides import is_override

_ENDS = frozenset(" \t\r\n;|&<>)")
_CLOSES = {"(": ")", "{": "}"}


def bounds(document: Document, leaf: Leaf) -> tuple[int, int] | None:
    """The whole argument of a leaf whose key stands there literally; None where it does not."""
    text, span = document.text, leaf.key_place.span
    start = span.start - len(leaf.mode.value)
    if text[span.start : span.end] != leaf.key or text[start : span.start] != leaf.mode.value:
        return None
    if not is_override(document, leaf):
        return None
    quote = text[start - 1 : start]
    if quote and quote in "\"'":
        end = _closing(text, span.end, quote)
        return None if end is None else (start - 1, _word_end(text, end))
    if quote and quote not in " \t\n(":
        return None
    return start, _word_end(text, span.end)


def _closing(text: str, position: int, quote: str) -> int | None:
    """Return the position behind the closing quote; None where there is none."""
    while position < len(text):
        if text[position] == quote:
            return position + 1
        position = _past(text, position) if quote == '"' else position + 1
    return None


def _word_end(text: str, position: int) -> int:
    while position < len(text) and text[position] not in _ENDS:
        if text[position] in "\"'":
            closed = _closing(text, position + 1, text[position])
            position = len(text) if closed is None else closed
        elif text.startswith("\\\n", position):
            return position
        else:
            position = _past(text, position)
    return position


def _past(text: str, position: int) -> int:
    """One past the character, escape or expansion at `position`."""
    if text[position] == "\\":
        return position + 2
    if text[position] == "$" and text[position + 1 : position + 2] in ("(", "{"):
        return _past_expansion(text, position + 2, _CLOSES[text[position + 1]])
    return position + 1


def _past_expansion(text: str, position: int, closing: str) -> int:
    while position < len(text) and text[position] != closing:
        if text[position] in "\"'":
            position = _closing(text, position + 1, text[position]) or len(text)
        elif text[position] == "(" and closing == ")":
            position = _past_expansion(text, position + 1, ")")
        else:
            position = _past(text, position)
    return min(position + 1, len(text))


def whereabouts(document: Document, leaf: Leaf) -> str:
    """Return the reason why the characters of a key cannot be changed here."""
    if leaf.key_place.file != document.name:
        return "in another file: migrate that one"
    if document.form == "shell" and document.text[leaf.key_place.span.end :].lstrip("\"' ")[:1] == ":":
        return "in a config that the script writes: migrate that text as a file of its own"
    if document.form == "python":
        return "no keyword argument with a plain value"
    return "put together from several places"
