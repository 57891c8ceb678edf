"""Reads `[[ ... ]]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rftconf.text.shell.parse.modes import PATTERN_WORD, REGEX_WORD, TooDeep
from rftconf.text.shell.parse.nodes import Problem, Test, TestNode, WordNode

if TYPE_CHECKING:
    from rftconf.text.shell.parse.commands import CommandReader

UNARY = frozenset("-" + c for c in "abcdefghkprstuwxGLNOSznvRo")
_BINARY = re.compile(r"(?:==|=~|!=|=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))(?=\s)").match
_END = re.compile(r"\]\](?![^\s;&|)])").match
MAX_LEVEL = 20


def read_test(reader: CommandReader) -> Test:
    """The test at `pos`, which is at its `[[`."""
    node = Test(None, reader.pos)
    reader.pos += 2
    node.expression = _either(reader, 0)
    reader.gap()
    if _END(reader.text, reader.pos):
        reader.pos += 2
        return node
    message = "this `[[` has no `]]`" if reader.pos >= reader.size else "this test is not understood here"
    code, offset = ("SYN101", node.start) if reader.pos >= reader.size else ("SYN102", reader.pos)
    reader.problems.append(Problem(code, message, offset, offset + 2))
    close = re.compile(r"\]\]|\n").search(reader.text, reader.pos)
    reader.pos = reader.size if close is None else close.end() if close[0] == "]]" else close.start()
    node.expression = None
    return node


def _either(reader: CommandReader, level: int) -> TestNode | None:
    left = _parse_conjunction(reader, level)
    while left is not None and _next(reader, "||"):
        right = _parse_conjunction(reader, level)
        left = TestNode("||", left, right) if right is not None else None
    return left


def _parse_conjunction(reader: CommandReader, level: int) -> TestNode | None:
    left = _negation(reader, level)
    while left is not None and _next(reader, "&&"):
        right = _negation(reader, level)
        left = TestNode("&&", left, right) if right is not None else None
    return left


def _next(reader: CommandReader, text: str) -> bool:
    reader.gap()
    if not reader.text.startswith(text, reader.pos):
        return False
    reader.pos += len(text)
    return True


def _negation(reader: CommandReader, level: int) -> TestNode | None:
    if level > MAX_LEVEL:
        raise TooDeep(reader.pos)
    reader.gap()
    if re.match(r"!\s", reader.text[reader.pos : reader.pos + 2]):
        reader.pos += 1
        inner = _negation(reader, level + 1)
        return TestNode("!", inner) if inner is not None else None
    if _next(reader, "("):
        inner = _either(reader, level + 1)
        return inner if _next(reader, ")") else None
    return _primary(reader)


def _primary(reader: CommandReader) -> TestNode | None:
    left = _word(reader)
    if left is None:
        return None
    if left.plain in UNARY:
        before = reader.pos
        reader.blanks()
        if not _BINARY(reader.text, reader.pos):
            right = _word(reader)
            if right is not None:
                return TestNode(str(left.plain), right)
        reader.pos = before
    reader.gap()
    operator = _BINARY(reader.text, reader.pos)
    if operator is None:
        return TestNode("-n", left)
    reader.pos = operator.end()
    reader.gap()
    mode = {"=~": REGEX_WORD, "==": PATTERN_WORD, "=": PATTERN_WORD, "!=": PATTERN_WORD}.get(operator[0])
    right = reader.word(mode) if mode is not None else reader.word()
    return TestNode(operator[0], left, right) if right.parts or right.end > right.start else None


def _word(reader: CommandReader) -> WordNode | None:
    reader.gap()
    if _END(reader.text, reader.pos):
        return None
    word = reader.word()
    return word if word.end > word.start else None
