"""Sentences as people see them: without the numbers by which rftconf's own tables and decisions refer to each other."""

from __future__ import annotations

import re

_ONE = r"(?:rows? )?(?:[HD]\d+|\d+(?:\.\d+)+)"
_CITED = re.compile(rf" ?\({_ONE}(?:(?:, | and ){_ONE})*\)")
_OPENS = re.compile(rf"^{_ONE}: ")


def without_citations(text: str) -> str:
    """`text` without citations such as `(row 3.12)` and `(H53)`; `rftconf explain H53` tells what they stand for."""
    return _OPENS.sub("", _CITED.sub("", text))
