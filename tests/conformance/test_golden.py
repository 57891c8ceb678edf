"""Every golden output is accepted by the framework it is for, and means there what it means to rftconf."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.cases import DECISIONS, Case, golden_cases, golden_pairs
from tests.conformance.conftest import OUTCOME
from tests.conformance.conversions import convert, decide, differences_after, judge
from tests.conformance.environment import Target
from tests.conformance.judging import Bench

PAIRS = golden_pairs()
IDS = [f"{case.name}-{target}" for target, case in PAIRS]
Record = Callable[[str, object], None]


def test_there_are_golden_cases() -> None:
    assert {case.to for case in golden_cases()} == {"verl", "trinity"}
    assert {(case.name, case.to) for case in golden_cases()} == {(case.name, case.to) for _, case in PAIRS}


@pytest.mark.parametrize(("target", "case"), PAIRS, ids=IDS)
def test_golden_output_is_accepted(
    bench: Bench, target: Target, case: Case, tmp_path: Path, record_property: Record
) -> None:
    converted = convert(case.source, target, tmp_path, case.options)
    assert converted.code == 0, converted.said
    still_open = decide(target, converted.file, DECISIONS)
    assert not still_open, f"left open: {still_open}"
    verdict = judge(bench, target, converted.file, tmp_path)
    differing = differences_after(target, verdict, converted.file, tmp_path) if verdict.ok else []
    said = {"accepted" if verdict.ok else "rejected": 1} | ({"read back as another plan": 1} if differing else {})
    record_property(OUTCOME, ("golden", str(target), said))
    assert verdict.ok, str(verdict)
    assert not differing, "\n".join(differing)
