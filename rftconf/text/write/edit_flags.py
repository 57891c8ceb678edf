"""Changes to single flags of a launch script, as patches: `--key value`, `--key=value`, and switches without a value."""

from __future__ import annotations

from rftconf.base.patch import Patch
from rftconf.base.symbols import Value
from rftconf.text.document import Document, Leaf
from rftconf.text.write.edit_overrides import drop_word, insert_word, spelled

_ENDS = ("", " ", "\t", "\n", "\r", ")")


def is_flag(document: Document, leaf: Leaf) -> bool:
    """True where the leaf is a flag with one value at most, of which every character stands in this text."""
    key, value = leaf.key_place.span, leaf.place.span
    if not document.text[key.start : key.end].startswith("--") or isinstance(leaf.value, (list, dict)):
        return False
    return _is_one_word(leaf) or not document.text[key.end : value.start].strip()


def _is_one_word(leaf: Leaf) -> bool:
    """True for a switch, and for `--key=value`, whose value has no place of its own."""
    return leaf.key_place.span == leaf.place.span


def put(document: Document, leaf: Leaf, value: Value) -> list[Patch] | None:
    """Give a flag another value; a switch that is to be off is taken out."""
    if value is False:
        return drop(document, leaf)
    text, span = spelled(value), leaf.place.span
    if text is None or value is True or _is_open(document, leaf):
        return None
    if not _is_one_word(leaf):
        return [Patch(span, text)]
    name, given, _ = document.text[span.start : span.end].partition("=")
    return [Patch(span, f"{name}={text}")] if given else None


def _is_open(document: Document, leaf: Leaf) -> bool:
    """True where the value goes on behind its place, as it does in quotes."""
    end = leaf.place.span.end
    return document.text[end : end + 1] not in _ENDS


def add(document: Document, near: Leaf, key: str, value: Value) -> list[Patch] | None:
    """Put a new flag in front of the one of `near`."""
    text = "" if value is True else spelled(value)
    if text is None or value is False or _is_open(document, near):
        return None
    return insert_word(document, near.key_place.span.start, near.place.span.end, f"--{key} {text}".rstrip())


def drop(document: Document, leaf: Leaf) -> list[Patch] | None:
    """Take a flag out, with its line where it stands alone there."""
    return None if _is_open(document, leaf) else drop_word(document, leaf.key_place.span.start, leaf.place.span.end)


def rename(document: Document, leaf: Leaf, key: str) -> list[Patch] | None:
    """Give a flag another name."""
    span = leaf.key_place.span
    name, given, value = document.text[span.start : span.end].partition("=")
    return [Patch(span, f"--{key}{given}{value}")] if name == f"--{leaf.key}" else None
