"""Nodes of a syntax tree get their places: Python counts bytes of UTF-8 within a line, a place counts characters."""

from __future__ import annotations

import ast
import re

from rftconf.base.span import LineIndex, Place, Span

_LINE_END = re.compile(r"\r\n|\r|\n")


class Positions:
    """Characters of one text by the lines and bytes that its syntax tree has."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._index = LineIndex(text)

    def offset(self, line: int, column: int) -> int:
        """Return the character at byte `column` (from 0) of `line` (from 1)."""
        start = self._starts[min(line, len(self._starts)) - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        content = self.text[start:end]
        if content.isascii():
            return start + min(column, len(content))
        return start + len(content.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def place(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> Place:
        """Return the place of a whole node."""
        start = self.offset(node.lineno, node.col_offset)
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return Place(self.name, self.span(start, max(start, end)))

    def span(self, start: int, end: int) -> Span:
        """Return the span between two characters."""
        return self._index.span(start, end)

    def word(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg, length: int) -> Place:
        """Return the place of the first `length` characters of a node: a keyword's name."""
        start = self.offset(node.lineno, node.col_offset)
        return Place(self.name, self._index.span(start, start + length))

    def point(self, line: int, col: int) -> Place:
        """Return the place of one character, by line and column from 1."""
        start = self._starts[min(max(line, 1), len(self._starts)) - 1] + col - 1
        return Place(self.name, Span(start, start, line, col))

    def source(self, place: Place) -> str:
        """Return the text at a place."""
        return self.text[place.span.start : place.span.end]
