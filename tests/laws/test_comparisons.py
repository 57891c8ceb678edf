"""`rftconf diff`: only what is not known cannot be compared, and two known values that are not the same are a difference.

Pairs of golden inputs; RFTCONF_CORPUS_ALL=1 takes each of them beside every config of the corpus as well (`make comparisons`).
"""

from __future__ import annotations

import os
from itertools import combinations, product

from tests.laws.comparisons import broken, corpus_sides, golden_sides

ALL = bool(os.environ.get("RFTCONF_CORPUS_ALL"))
EVERY = 1 if ALL else 4
"""Every how manieth pair of golden inputs is compared; the number shares no factor with that of the inputs."""
LEAST = 700
"""Pairs that are compared at least."""


def test_what_is_known_is_compared_and_what_is_not_is_named() -> None:
    golden = golden_sides()
    pairs = [*combinations(golden, 2)][::EVERY]
    if ALL:
        pairs += product(golden, corpus_sides(1))
    problems = [line for a, b in pairs for line in broken(a, b)]
    assert len(pairs) >= LEAST
    assert problems == []
