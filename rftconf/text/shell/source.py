"""One text that is read as a script, and how offsets in what bash sees become places in the file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from rftconf.base.span import LineIndex, Place, Span
from rftconf.base.symbols import Expr
from rftconf.text.shell.holes import as_source


class Source:
    """A script's text without the characters that bash must not see (BOM, CR of CRLF, NUL), with its way back.

    Text that is no file of its own (`eval "..."`) has `origin`: the place at which a character of it is written.
    `holes` are the parts of it that nobody knows; each stands in `text` as one private character.
    """

    __slots__ = ("_index", "_keys", "holes", "name", "origin", "raw", "text")

    def __init__(
        self, name: str, raw: str, origin: Callable[[int], Place] | None = None, holes: tuple[Expr, ...] = ()
    ) -> None:
        self.name, self.raw, self.origin, self.holes = name, raw, origin, holes
        self.text = raw
        self._index: LineIndex | None = None
        self._keys: list[int] = []
        if raw.startswith("\ufeff") or "\r\n" in raw or "\0" in raw:
            self._strip()

    def _strip(self) -> None:
        raw = self.raw
        dropped_places = [
            index for index, c in enumerate(raw) if c == "\0" or (c == "\r" and raw[index + 1 : index + 2] == "\n")
        ]
        if raw.startswith("\ufeff"):
            dropped_places.insert(0, 0)
        self._keys = [index - k for k, index in enumerate(dropped_places)]
        dropped = set(dropped_places)
        self.text = "".join(c for index, c in enumerate(raw) if index not in dropped)

    def part(self, start: int, end: int) -> str:
        """Characters `start` to `end` of `text` as shell source."""
        return as_source(self.text[start:end], self.holes)

    def place(self, start: int, end: int) -> Place:
        """The place of characters `start` to `end` of `text`, in the file as it is on disk."""
        if self._keys:
            last = end if end == start else end - 1
            start, end = start + bisect_right(self._keys, start), end + bisect_right(self._keys, last)
        if self.origin is not None:
            return _between(self.origin(start), self.origin(max(start, end - 1)))
        if self._index is None:
            self._index = LineIndex(self.raw)
        return Place(self.name, self._index.span(start, end))


def _between(first: Place, last: Place) -> Place:
    """Return the span from the beginning of one place to the end of another, where they are in one text."""
    span, end = first.span, last.span.end
    if first.file != last.file or end < span.end:
        return first
    return Place(first.file, Span(span.start, end, span.line, span.col))
