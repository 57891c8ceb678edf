"""Source and output need the same memory on the same GPUs, or a line of the conversion says which setting makes a difference.

RFTCONF_CORPUS_ALL=1 takes every config of the corpus (`make same-budget`); the suite takes a sample.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from rftconf.schemas import registry
from tests.corpus import corpora
from tests.laws.same_budget import broken, conversions_of, priced, runs_of

EVERY = 1 if os.environ.get("RFTCONF_CORPUS_ALL") else 28
LEAST = {
    "verl": {"trinity": 40, "roll": 40, "chatlearn": 30, "trl": 30, "openrlhf": 35, "nemo_rl": 35},
    "trinity": {"verl": 18, "roll": 18, "chatlearn": 12, "trl": 10, "openrlhf": 12, "nemo_rl": 12},
    "roll": {"verl": 14, "trinity": 14, "chatlearn": 6, "trl": 6, "openrlhf": 6, "nemo_rl": 6},
    "chatlearn": dict.fromkeys(("verl", "trinity", "roll", "trl", "openrlhf", "nemo_rl"), 3),
    "trl": {"verl": 12, "trinity": 12, "roll": 12, "chatlearn": 9, "openrlhf": 10, "nemo_rl": 10},
    "openrlhf": {"verl": 15, "trinity": 14, "roll": 14, "chatlearn": 10, "trl": 10, "nemo_rl": 14},
    "nemo_rl": {"verl": 18, "trinity": 16, "roll": 18, "chatlearn": 12, "trl": 13, "openrlhf": 14},
}
"""Source to target to how many pairs of a sample are priced on both sides at least: a law that prices nothing holds nothing."""


@pytest.mark.skipif(not any(corpora().values()), reason="the corpus of real configs lies beside this project")
@pytest.mark.parametrize("framework", registry.FRAMEWORKS)
def test_source_and_output_need_the_same_memory_or_a_line_says_why(framework: str) -> None:
    problems: list[str] = []
    pairs: Counter[str] = Counter()
    every = 1 if framework == "chatlearn" else EVERY  # it has few examples
    for name, loaded in runs_of(framework, every):
        source = priced(loaded)
        if source is None:
            continue
        for to, done in conversions_of(loaded):
            lines = broken(name, done, loaded, source)
            pairs[to] += lines is not None
            problems += lines or []
    assert problems == []
    assert {to: least for to, least in LEAST[framework].items() if pairs[to] < least} == {}
