"""Sentences as people see them: without the numbers of hazards, which the full ledger has."""

from __future__ import annotations

import re

_CITED = re.compile(r" ?\(H\d+(?:(?:, | and )H\d+)*\)")
_OPENS = re.compile(r"^H\d+: ")


def without_citations(text: str) -> str:
    """`text` without the numbers of hazards, such as `(H53)`; `rftconf explain H53` tells what they stand for."""
    return _OPENS.sub("", _CITED.sub("", text))
