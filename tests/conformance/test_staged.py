"""A staged Trinity-RFT config stays staged within its framework: every stage of what rftconf writes is accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.conftest import OUTCOME
from tests.conformance.conversions import convert, differences_after, judge
from tests.conformance.environment import GOLDEN, TRINITY_TARGETS, Target
from tests.conformance.judging import Bench

STAGED = GOLDEN / "sft-then-rl" / "input.yaml"
Record = Callable[[str, object], None]


@pytest.mark.parametrize("target", TRINITY_TARGETS, ids=str)
def test_every_stage_is_accepted(bench: Bench, target: Target, tmp_path: Path, record_property: Record) -> None:
    converted = convert(STAGED, target, tmp_path)
    assert converted.code == 0, converted.said
    verdict = judge(bench, target, converted.file, tmp_path)
    record_property(OUTCOME, ("staged", str(target), {"accepted" if verdict.ok else "rejected": 1}))
    assert verdict.ok, str(verdict)
    assert [stage["algorithm"]["algorithm_type"] for stage in verdict.config["checked"]] == ["sft", "grpo"]
    differing = differences_after(target, verdict, converted.file, tmp_path)
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("target", TRINITY_TARGETS, ids=str)
def test_a_flaw_of_the_last_stage_is_found(bench: Bench, target: Target, tmp_path: Path) -> None:
    converted = convert(STAGED, target, tmp_path)
    whole = converted.file.read_text()
    flawed = whole.replace("train_batch_size: 256", "train_batch_size: 255")
    assert flawed != whole
    converted.file.write_text(flawed)
    verdict = judge(bench, target, converted.file, tmp_path)
    assert not verdict.ok
    assert verdict.stage == ("worker" if target.beside == "0.8.0" else "check"), str(verdict)
    assert "255" in verdict.error
