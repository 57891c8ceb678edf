"""Offsets of a text as an editor counts them: lines from 0, columns in UTF-16 (or other) units."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal, TypeAlias

Units: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
_BREAK = re.compile(r"\r\n|\n|\r")
_LAST_OF_BMP = "\uffff"


class Lines:
    """One text. The protocol ends lines at `\\n`, `\\r\\n` and `\\r` only; form feeds and U+2028 are plain characters."""

    def __init__(self, text: str, units: Units = "utf-16") -> None:
        self.text = text
        self._units = units
        self._starts = [0, *(match.end() for match in _BREAK.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset."""
        clamped = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, clamped) - 1
        return line, self._width(self.text[self._starts[line] : clamped])

    def offset(self, line: int, column: int) -> int:
        """The character offset of a position; one behind the end of its line, or of the text, is that end."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[line], self._end(line)
        written = self.text[start:end]
        if written.isascii() or self._units == "utf-32":
            return start + min(max(column, 0), len(written))
        offset = 0
        for place, char in enumerate(written):
            offset += self._width(char)
            if offset > column:  # also inside a character of several units
                return start + place
        return end

    def _end(self, line: int) -> int:
        """The offset of the line's end, before its line break."""
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        crlf = self.text[end] == "\n" and end > self._starts[line] and self.text[end - 1] == "\r"
        return end - 1 if crlf else end

    def _width(self, written: str) -> int:
        if self._units == "utf-32" or written.isascii():
            return len(written)
        if self._units == "utf-8":
            return len(written.encode("utf-8", "surrogatepass"))
        return len(written) + sum(char > _LAST_OF_BMP for char in written)


def edited(lines: Lines, start: tuple[int, int], end: tuple[int, int], new: str) -> str:
    """The text with what stands between two positions replaced."""
    first, last = lines.offset(*start), lines.offset(*end)
    return lines.text[:first] + new + lines.text[max(first, last) :]
