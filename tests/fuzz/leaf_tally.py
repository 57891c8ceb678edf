"""Counts what verbs answered about single leaves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.fuzz.verbs import OF_CONFIGS, OF_DOCUMENTS


@dataclass
class LeafTally:
    """Answers by verb and how they ended, a leaf each; what went wrong; files that were read for it."""

    answers: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    files: int = 0
    leaves: int = 0
    verbs: tuple[str, ...] = (*OF_DOCUMENTS, *OF_CONFIGS)
    """The verbs that are asked."""
    hidden: int = 0
    """Leaves that did not stand in the config as read, so that no answer counts for them."""

    @property
    def total(self) -> int:
        """Return the number of all answers."""
        return sum(self.answers.values())
