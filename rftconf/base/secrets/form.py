"""One form of a credential: a pattern, and a text that every match contains."""

from __future__ import annotations

import re
from functools import cached_property


class Form:
    """One provider's form of a credential. Group `value` of its pattern, where there is one, is the part that is secret."""

    def __init__(self, title: str, marks: str, pattern: str) -> None:
        self.title = title
        self.marks = tuple(marks.split())
        """Every match contains one of these, so that a text without them need not be searched. Lower case."""
        self._source = pattern

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when a text has one of the marks for the first time."""
        return re.compile(self._source)
