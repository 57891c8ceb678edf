"""The bounds of the argument that holds an override, by the shell's rules for quotes."""

from __future__ import annotations

from rftconf.text.document import Document, Leaf
from rftconf.text.write.edit_overrides import is_override
from rftconf.text.write.shell_words import closing_quote, word_end


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
        end = closing_quote(text, span.end, quote)
        return None if end is None else (start - 1, word_end(text, end))
    if quote and quote not in " \t\n(":
        return None
    return start, word_end(text, span.end)


def whereabouts(document: Document, leaf: Leaf) -> str:
    """Return the reason why the characters of a key cannot be changed here."""
    if leaf.key_place.file != document.name:
        return "in another file: migrate that one"
    if document.form == "shell" and document.text[leaf.key_place.span.end :].lstrip("\"' ")[:1] == ":":
        return "in a config that the script writes: migrate that text as a file of its own"
    if document.form == "python":
        return "no keyword argument with a plain value"
    return "put together from several places"
