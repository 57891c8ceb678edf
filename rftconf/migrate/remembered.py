"""A cache of read texts: a migration reads each version of a file once and looks at it from several sides."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.load.loaded import Loaded
from rftconf.text.document import Document

Read = Callable[[str, int | None], Document]
"""Reads a text as the file's: the text, and which launch of it."""
_REMEMBERED = 4
"""Texts that are kept read."""


class Remembered:
    """A reader that remembers the texts it read last: what a file may become is looked at from several sides."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._documents: dict[tuple[str, int | None], Document] = {}
        self.loaded: dict[tuple[str, int | None], Loaded] = {}
        """The texts as runs of the asked release."""

    def __call__(self, text: str, launch: int | None) -> Document:
        """The text as a document."""
        known = (text, launch)
        if known not in self._documents:
            while len(self._documents) >= _REMEMBERED:
                oldest = next(iter(self._documents))
                del self._documents[oldest]
                self.loaded.pop(oldest, None)
            self._documents[known] = self._read(text, launch)
        return self._documents[known]
