"""Where the argument that an override stands in begins and ends, by the shell's rules for quotes."""

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


def _closing(text: str, at: int, quote: str) -> int | None:
    """One past the quote that closes."""
    while at < len(text):
        if text[at] == quote:
            return at + 1
        at = _past(text, at) if quote == '"' else at + 1
    return None


def _word_end(text: str, at: int) -> int:
    while at < len(text) and text[at] not in _ENDS:
        if text[at] in "\"'":
            closed = _closing(text, at + 1, text[at])
            at = len(text) if closed is None else closed
        elif text.startswith("\\\n", at):
            return at
        else:
            at = _past(text, at)
    return at


def _past(text: str, at: int) -> int:
    """One past the character, escape or expansion at `at`."""
    if text[at] == "\\":
        return at + 2
    if text[at] == "$" and text[at + 1 : at + 2] in ("(", "{"):
        return _past_expansion(text, at + 2, _CLOSES[text[at + 1]])
    return at + 1


def _past_expansion(text: str, at: int, closing: str) -> int:
    while at < len(text) and text[at] != closing:
        if text[at] in "\"'":
            at = _closing(text, at + 1, text[at]) or len(text)
        elif text[at] == "(" and closing == ")":
            at = _past_expansion(text, at + 1, ")")
        else:
            at = _past(text, at)
    return min(at + 1, len(text))


def whereabouts(document: Document, leaf: Leaf) -> str:
    """Why the characters of a key cannot be changed here."""
    if leaf.key_place.file != document.name:
        return "in another file: migrate that one"
    if document.form == "shell" and document.text[leaf.key_place.span.end :].lstrip("\"' ")[:1] == ":":
        return "in a config that the script writes: migrate that text as a file of its own"
    return "put together from several places"
