"""Each place of a script has a mode, which tells how far plain text runs there; two errors tell what can be wrong."""

from __future__ import annotations

import re

MAX_DEPTH = 40
MAX_COMMANDS = 10_000
"""Commands in a row; the longest real script has some hundreds."""


class Unclosed(Exception):  # noqa: N818
    """Something opened at `start` is never closed."""

    def __init__(self, start: int, what: str) -> None:
        super().__init__(what)
        self.start, self.what = start, what


class TooDeep(Exception):  # noqa: N818
    """Nesting beyond what the reader follows."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.at = offset


class Mode:
    """A mode's sets of characters: those that run on, that end the text, and that lose their meaning."""

    __slots__ = ("escapes", "literal", "run", "stops")

    def __init__(self, run: str, stops: str, literal: str = "", escapes: str | None = None) -> None:
        self.run = re.compile(run).match
        self.stops = frozenset(stops)
        self.literal = frozenset(literal)
        self.escapes = None if escapes is None else frozenset(escapes)
        """Characters a backslash takes the meaning from; None for all of them."""


WORD = Mode(r"[^\s\\'\"$`&|;<>()]+", " \t\n&|;<>()")


PATTERN_WORD = Mode(r"[^\s\\'\"$`&|;<>()]+", " \t\n&;<>")


_IN_BRACKETS = r"[^()\n\\'\"$`]"
REGEX_WORD = Mode(rf"(?:[^\s\\'\"$`()]|\((?:{_IN_BRACKETS}|\({_IN_BRACKETS}*\))*\)|[()])+", " \t\n")
"""Blanks between brackets, and between brackets in these, belong to it."""


DOUBLE = Mode(r"[^\"\\$`]+", '"', escapes='$`"\\')


HERE_DOCUMENT = Mode(r"[^\\$`]+", "", escapes="$`\\")
"""Quotes mean nothing in it."""


PARAM = Mode(r"[^\\'\"$`}]+", "}")


PARAM_QUOTED = Mode(r"[^\\\"$`}]+", "}", escapes='$`"\\}')


PATTERN = Mode(r"[^\\'\"$`}/]+", "}/")


SUBSCRIPT = Mode(r"[^\\'\"$`\]]+", "]")


SLICE = Mode(r"[^\\'\"$`:}]+", ":}")


ARITHMETIC = Mode(r"[^\\\"$`()]+", "()", escapes='$`"\\')
