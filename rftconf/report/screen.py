"""Properties of the terminal: its width and whether it takes colours. No other module asks the terminal."""

from __future__ import annotations

import os
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TextIO

from rftconf.base.record import record

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_NARROWEST, _WIDEST = 40, 160
_UNKNOWN = 100
"""Columns where nobody tells."""
_AFTER = 4
"""Lines below a report: the file that was written, the next command, the prompt."""


@record
class Screen:
    """`width` in columns; styles are dropped unless `colour`. `height` is in lines, None where nothing scrolls."""

    width: int = 80
    colour: bool = False
    height: int | None = None

    @classmethod
    def of(cls, stream: TextIO, colour: str = "auto") -> Screen:
        """The screen behind `stream`; `colour` is `auto`, `always` or `never` (NO_COLOR counts under `auto`)."""
        terminal = stream.isatty()
        # An empty NO_COLOR does not count (no-color.org).
        wants_colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        width = min(max(_columns(), _NARROWEST), _WIDEST)
        coloured = colour == "always" or (colour == "auto" and wants_colour)
        return cls(width, coloured, _lines(stream) if terminal else None)

    def scrolls(self, lines: int) -> bool:
        """True where a text of so many lines, and the few that a verb says after it, go beyond the top of a terminal."""
        return self.height is not None and lines + _AFTER > self.height

    def style(self, text: str, *styles: str) -> str:
        """`text` in the named styles."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in styles)}m{text}\x1b[0m"

    def wrap(self, text: str, indent: int) -> list[str]:
        """`text` broken into lines that fit beside `indent` spaces; a word that is too long stays whole."""
        return list(_wrapped(text, max(self.width - indent, 24)))

    def hanging(self, lead: str, text: str) -> Iterator[str]:
        """`text` behind `lead`, its further lines indented by as much."""
        for number, part in enumerate(self.wrap(text, len(lead))):
            yield f"{' ' * len(lead) if number else lead}{part}"


@lru_cache(maxsize=1000)
def _wrapped(text: str, width: int) -> tuple[str, ...]:
    """Remembered, since the findings of many files say the same."""
    lines = textwrap.wrap(printable(text), width, break_long_words=False, break_on_hyphens=False)
    return tuple(lines) or ("",)


def columns_of(text: str) -> int:
    """Count the columns that `text` takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def shorten(text: str, limit: int) -> str:
    """`text` on one line with at most `limit` characters; the middle goes, because the ends tell values apart."""
    flat = " ".join(printable(text).split())
    if len(flat) <= limit:
        return flat
    tail = (limit - 1) // 3
    return f"{flat[: limit - 1 - tail]}…{flat[len(flat) - tail :]}"


def printable(text: str) -> str:
    """`text` without control characters, which could rewrite a terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def joined(lines: Iterable[str]) -> str:
    """Lines as one text with a line break at the end of each and no trailing white space."""
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _lines(stream: TextIO) -> int | None:
    try:
        return os.get_terminal_size(stream.fileno()).lines or None
    except (OSError, ValueError):
        return None


def _columns() -> int:
    """The terminal's width as `shutil.get_terminal_size` finds it; that module brings every compressor along."""
    text = os.environ.get("COLUMNS", "")
    if text.isdecimal() and int(text) > 0:
        return int(text)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or _UNKNOWN
    except (OSError, ValueError):
        return _UNKNOWN
