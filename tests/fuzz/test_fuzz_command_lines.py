"""Odd words and files before some options with every run of the tests."""

from __future__ import annotations

from collections import Counter

from tests.fuzz.fuzz_command_lines import BASES, calls, judged, options


def test_no_command_line_looks_like_a_defect() -> None:
    ends: Counter[str] = Counter()
    assert list(judged(60, 5, ends)) == []
    assert sum(ends.values()) == 60


def test_the_calls_without_oddness_answer() -> None:
    assert {"--answers", "--questions", "--ledger"} <= set(options()["convert"])
    assert {call.words[0] for call in calls(1, 500)} == set(BASES)
