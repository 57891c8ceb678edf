"""Changes to single arguments of a Python launcher as patches: another literal, another name, one more, or one that goes."""

from __future__ import annotations

import ast
import re

from rftconf.base.patch import Patch
from rftconf.base.symbols import Value
from rftconf.text.document import Document, Leaf
from rftconf.text.launch import trainers
from rftconf.text.launch.accelerate import OPTIONS
from rftconf.text.python.parse import PythonError, parse
from rftconf.text.python.positions import Positions

_SIMPLE = re.compile(r"[\w\"'./:-][\w \"'./:+-]{0,200}")
_CONFIGS = frozenset(name for (_, name), kind in trainers.CLASSES.items() if kind == trainers.CONFIG)
_NOT_OF_CONFIG = trainers.OF_OTHER_CLASSES | OPTIONS.keys()
"""Keys that other classes take, or the launcher."""
_COMMA = re.compile(r"[ \t]*,")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n)")


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
    return [Patch(span, _spelled(value))]


def _spelled(value: Value) -> str:
    """The literal of a value, a text in double quotes where that changes nothing else."""
    literal = repr(value)
    return f'"{literal[1:-1]}"' if literal[0] == "'" and '"' not in literal else literal


def add(document: Document, near: Leaf, key: str, value: Value) -> list[Patch] | None:
    """One more argument of the config, in front of the one that `near` is; None where `near` is none of the config's, or the
    config does not take the key."""
    plain = isinstance(value, (bool, int, float, str, type(None)))
    if near.key_place.file != document.name or not plain or not key.isidentifier() or key in _NOT_OF_CONFIG:
        return None
    call, keyword = _keyword_at(document, near.key_place.span.start)
    if call is None or keyword is None or _name(call.func) not in _CONFIGS:
        return None
    positions = Positions(document.name, document.text)
    start = positions.place(keyword).span.start
    before = document.text[document.text.rfind("\n", 0, start) + 1 : start]
    between = " " if before.strip(" \t") else f"\n{before}"
    return [Patch(positions.span(start, start), f"{key}={_spelled(value)},{between}")]


def drop(document: Document, leaf: Leaf) -> list[Patch] | None:
    """Take a keyword argument out, with its line where it has one; None where its value is computed or it is no argument."""
    if leaf.key_place.file != document.name:
        return None
    _, keyword = _keyword_at(document, leaf.key_place.span.start)
    if keyword is None or not _is_plain(keyword.value):
        return None
    positions = Positions(document.name, document.text)
    span = positions.place(keyword).span
    start, end = _bounds_with_comma(document.text, span.start, span.end)
    return [Patch(positions.span(start, end), "")]


def _keyword_at(document: Document, start: int) -> tuple[ast.Call, ast.keyword] | tuple[None, None]:
    """The keyword argument that begins at the character `start`, and its call."""
    try:
        tree = parse(document.text)
    except PythonError:
        return None, None
    positions = Positions(document.name, document.text)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    pairs = ((call, keyword) for call in calls for keyword in call.keywords if keyword.arg is not None)
    at_place = ((call, each) for call, each in pairs if positions.offset(each.lineno, each.col_offset) == start)
    return next(at_place, (None, None))


def _name(function: ast.expr) -> str:
    """The last name of what is called: `GRPOConfig` of `trl.GRPOConfig`."""
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _is_plain(value: ast.expr) -> bool:
    """True for a literal and for a name: a call or arithmetic may do more than give a value."""
    if isinstance(value, (ast.Name, ast.Attribute)):
        return True
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _bounds_with_comma(text: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of an argument with its comma: the whole line where nothing else stands on it but a comment."""
    comma = _COMMA.match(text, end)
    end = end if comma is None else comma.end()
    line = text.rfind("\n", 0, start) + 1
    rest = _REST.match(text, end)
    if not text[line:start].strip(" \t") and rest is not None:
        return line, rest.end()
    if comma is not None:
        return start, len(text) - len(text[end:].lstrip(" \t"))
    before = text[:start].rstrip(" \t")
    return (len(before) - 1 if before.endswith(",") else start), end


def rename(document: Document, leaf: Leaf, key: str) -> list[Patch] | None:
    """Another name for a keyword argument, where both names are one word."""
    span = leaf.key_place.span
    plain = key.isidentifier() and leaf.key_place.file == document.name
    return [Patch(span, key)] if plain and document.text[span.start : span.end] == leaf.key else None
