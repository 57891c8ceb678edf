"""Every golden output is accepted by the framework it is for, and means there what it means to rftconf."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rftconf.cli.app import run
from tests.conformance.cases import DECISIONS, Case, golden_cases, golden_pairs
from tests.conformance.conftest import OUTCOME
from tests.conformance.conversions import convert, decide, differences_after, judge
from tests.conformance.environment import TARGETS, Target
from tests.conformance.judging import Bench

PAIRS = golden_pairs()
IDS = [f"{case.name}-{target}" for target, case in PAIRS]
Record = Callable[[str, object], None]


def test_there_are_golden_cases() -> None:
    judged = {target.framework for target in TARGETS}
    assert {"verl", "trinity"} <= judged
    assert judged <= {case.to for case in golden_cases()}
    cases = {(case.name, case.to) for case in golden_cases() if case.to in judged}
    assert cases == {(case.name, case.to) for _, case in PAIRS}


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
    reply = {"accepted" if verdict.ok else "rejected": 1} | ({"read back as another plan": 1} if differing else {})
    record_property(OUTCOME, ("golden", str(target), reply))
    assert verdict.ok, str(verdict)
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("target", [target for target, case in PAIRS if case.name == "stages"], ids=str)
def test_every_run_of_a_series_is_accepted(
    bench: Bench, target: Target, tmp_path: Path, record_property: Record
) -> None:
    case = next(case for case in golden_cases() if case.name == "stages")
    expected = ["--to", target.framework, "--to-release", target.release, "-o", str(tmp_path / "series"), "--quiet"]
    assert run(["convert", str(case.source), *expected]) == 0
    verdicts = {file.name: judge(bench, target, file, tmp_path) for file in sorted((tmp_path / "series").glob("0*.sh"))}
    record_property(OUTCOME, ("golden", str(target), {"accepted": sum(v.ok for v in verdicts.values())}))
    assert len(verdicts) == 2
    assert {name: str(verdict) for name, verdict in verdicts.items() if not verdict.ok} == {}
