"""Positions in text: half-open character ranges, with the line and column a person reads."""

from __future__ import annotations

from bisect import bisect_right

from rftconf.base.record import record


@record
class Span:
    """Characters `start` up to (not including) `end`; `line` and `col` count from 1."""

    start: int
    end: int
    line: int
    col: int


@record
class Place:
    """A span in a named file."""

    file: str
    span: Span

    def __str__(self) -> str:
        return f"{self.file}:{self.span.line}:{self.span.col}"


class LineIndex:
    """Turns character offsets of one text into lines and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0]
        position = text.find("\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = text.find("\n", position + 1)

    def span(self, start: int, end: int) -> Span:
        """The span of characters `start` to `end`."""
        line = bisect_right(self._starts, start)
        return Span(start, end, line, start - self._starts[line - 1] + 1)
