"""Every golden output is accepted by the framework it is for, and means there what it means to rftconf."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.cases import Case, golden_cases, golden_pairs
from tests.conformance.conftest import OUTCOME
from tests.conformance.conversions import convert, judge, resolved_by, save
from tests.conformance.environment import Target
from tests.conformance.judging import Bench
from tests.conformance.readback import differences, plan_of

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
    verdict = judge(bench, target, converted.file, tmp_path)
    record_property(OUTCOME, ("golden", str(target), {"accepted" if verdict.ok else "rejected": 1}))
    assert verdict.ok, str(verdict)
    resolved = save(resolved_by(target, verdict), tmp_path / "resolved.yaml")
    written_plan = plan_of(converted.file, target.framework, target.release)
    assert list(differences(written_plan, plan_of(resolved, target.framework, target.release))) == []
