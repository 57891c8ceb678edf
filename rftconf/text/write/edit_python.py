"""Changes to single arguments of a Python launcher as patches: another literal, another name. Nothing is added or taken out."""

from __future__ import annotations

import ast
import re

from rftconf.base.patch import Patch
from rftconf.base.symbols import Value
from rftconf.text.document import Document, Leaf

_SIMPLE = re.compile(r"[\w\"'./:-][\w \"'./:+-]{0,200}")


def put(document: Document, leaf: Leaf, value: Value) -> list[Patch] | None:
    """Another literal in the place of one; None for what a name, a call or arithmetic gives."""
    span = leaf.place.span
    old = document.text[span.start : span.end]
    if leaf.via or leaf.place.file != document.name or not isinstance(value, (bool, int, float, str, type(None))):
        return None
    if not _SIMPLE.fullmatch(old):
        return None
    try:
        literal = ast.literal_eval(old)
    except (ValueError, SyntaxError):
        return None
    if (
        isinstance(literal, str)
        and isinstance(value, str)
        and old[0] not in value
        and value.isprintable()
        and "\\" not in value
    ):
        return [Patch(span, f"{old[0]}{value}{old[0]}")] if old[0] == old[-1] else None
    return [Patch(span, repr(value))]


def drop(document: Document, leaf: Leaf) -> list[Patch] | None:
    """Nothing is taken out of a program."""
    del document, leaf
    return None


def rename(document: Document, leaf: Leaf, key: str) -> list[Patch] | None:
    """Another name for a keyword argument, where both names are one word."""
    span = leaf.key_place.span
    plain = key.isidentifier() and leaf.key_place.file == document.name
    return [Patch(span, key)] if plain and document.text[span.start : span.end] == leaf.key else None
