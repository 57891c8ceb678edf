"""A short run of the YAML fuzzer."""

from __future__ import annotations

from tests.fuzz.fuzz_yaml import SEEDS, Tally, fuzz, one


def test_the_seeds_are_read() -> None:
    tally = Tally()
    for seed in SEEDS:
        one(seed, tally)
        one(seed, tally, "x.txt")
    assert tally.leaves > 30


def test_mutations_never_raise() -> None:
    tally = fuzz(3.0, seed=7)
    assert tally.runs > 100
    assert tally.readable > 20
    assert tally.leaves > 50
