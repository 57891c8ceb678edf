"""One number of the account with its formula, and phases as sums of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rftconf.base.record import record

Part = Literal[
    "weights",
    "gradients",
    "optimizer",
    "unsharded",
    "activations",
    "logits",
    "kv_cache",
    "residue",
    "context",
    "slack",
]
PARTS: tuple[Part, ...] = (
    *("weights", "gradients", "optimizer", "unsharded", "activations", "logits"),
    *("kv_cache", "residue", "context", "slack"),
)
"""In the order in which they are shown."""

GIB = 1 << 30


@record
class Term:
    """`size` bytes on one GPU, held by the role `owner`.

    `formula` gives them: numbers with units, and after a semicolon words.
    """

    part: Part
    name: str
    size: int
    formula: str
    owner: str = ""

    @property
    def gib(self) -> float:
        """The size in GiB."""
        return self.size / GIB


def term(part: Part, name: str, size: float, formula: str, owner: str = "") -> Term:
    """A term rounded to whole bytes, so that sums are exact."""
    return Term(part, name, round(size), formula, owner)


def total(terms: Iterable[Term]) -> int:
    """The sum [bytes]."""
    return sum(t.size for t in terms)


def grouped(number: float) -> str:
    """A number for a formula: digits in groups of three."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.2f}"
