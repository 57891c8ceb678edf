"""One text that is read as a script, and how offsets in what bash sees become places in the file."""

from __future__ import annotations

from bisect import bisect_right

from rftconf.text.span import LineIndex, Place


class Source:
    """A script's text without the characters that bash must not see (BOM, CR of CRLF, NUL), with its way back.

    `anchor` is set for text that is no file (`eval "..."`): everything in it stands at that place.
    """

    __slots__ = ("_index", "_keys", "anchor", "name", "raw", "text")

    def __init__(self, name: str, raw: str, anchor: Place | None = None) -> None:
        self.name, self.raw, self.anchor = name, raw, anchor
        self.text = raw
        self._index: LineIndex | None = None
        self._keys: list[int] = []
        if raw.startswith("\ufeff") or "\r\n" in raw or "\0" in raw:
            self._strip()

    def _strip(self) -> None:
        raw = self.raw
        gone = [at for at, c in enumerate(raw) if c == "\0" or (c == "\r" and raw[at + 1 : at + 2] == "\n")]
        if raw.startswith("\ufeff"):
            gone.insert(0, 0)
        self._keys = [at - k for k, at in enumerate(gone)]
        dropped = set(gone)
        self.text = "".join(c for at, c in enumerate(raw) if at not in dropped)

    def place(self, start: int, end: int) -> Place:
        """The place of characters `start` to `end` of `text`, in the file as it is on disk."""
        if self.anchor is not None:
            return self.anchor
        if self._index is None:
            self._index = LineIndex(self.raw)
        if self._keys:
            last = end if end == start else end - 1
            start, end = start + bisect_right(self._keys, start), end + bisect_right(self._keys, last)
        return Place(self.name, self._index.span(start, end))
