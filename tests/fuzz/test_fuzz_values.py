"""A few seconds of odd values with every run of the tests."""

from __future__ import annotations

from tests.fuzz.fuzz_values import fuzz


def test_no_value_looks_like_a_defect() -> None:
    tally = fuzz(8.0, seed=3)
    assert not tally.wrong
    assert sum(tally.ends.values()) > 100
    assert set(tally.ends) == {0, 1, 2, 3}
