"""A few seconds of fuzzing with every run of the tests."""

from __future__ import annotations

from tests.fuzz.fuzz_shell import fuzz


def test_no_mutated_script_breaks_the_reader() -> None:
    assert fuzz(3, seed=20) > 50
