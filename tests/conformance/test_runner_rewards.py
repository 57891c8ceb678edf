"""The runner's rewards beside the frameworks' own functions: every one of 10,000 strings earns the same."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.environment import folder, printed_by

STRINGS = 10_000
SECONDS = 3600
VERL = ("0.3.0", "0.4.1", "0.5.0", "0.9.0", "0.9.1")
"""Releases by which every rule of the table is asked, each in the last one that has it."""
RIGHT = 0.003
"""The share of strings that must earn something; else two rules that find nothing would be called equal."""


def compared(script: str, package: str, release: str, strings: int = STRINGS) -> dict[str, Any]:
    """What a comparison prints, run where this release is."""
    where = folder() / "releases" / f"{package}-{release}"
    if not where.is_dir():
        pytest.skip(f"{package} {release} is not in {folder()}: make conformance-env")
    return printed_by(script, release, str(strings), folders=[where], seconds=SECONDS)


@pytest.mark.parametrize("release", VERL)
def test_no_difference_to_verls_default_compute_score(release: str) -> None:
    values = compared("runner_rewards_verl.py", "verl", release)
    assert values["differences"] == {}
    assert all(": No module named 'mathruler'" in entry for entry in values["absent"])
    whole = [name for name, count in values["compared"].items() if count == STRINGS]
    assert {name: values["earned"][name] for name in whole if values["earned"][name] < RIGHT * STRINGS} == {}
    assert {"openai/gsm8k", "lighteval/MATH"} <= set(whole)


def test_no_difference_to_trinitys_reward_functions() -> None:
    values = compared("runner_rewards_trinity.py", "trinity", "0.6.0")
    assert (values["differences"], values["absent"]) == ({}, [])
    assert set(values["compared"]) == {"math_reward", "accuracy_reward", "countdown_reward"}
    assert {name: count for name, count in values["earned"].items() if count < RIGHT * STRINGS} == {}


@pytest.mark.parametrize("release", ["0.1.1", "0.1.3", "0.2.1", "0.3.0"])
def test_no_difference_to_rolls_workers(release: str) -> None:
    """`compute_rewards` of every worker that scores by rule is called, with thoughts before answers and marks of ends behind them."""
    values = compared("runner_rewards_roll.py", "roll", release)
    assert values["differences"] == {}
    assert len(values["compared"]) == 4 + 2
    assert {name: count for name, count in values["earned"].items() if count < RIGHT * STRINGS} == {}


TESTED = 200
"""Answers with code: each starts processes, in ROLL's worker and in the runner."""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap, which confines code")
@pytest.mark.parametrize("release", ["0.1.3", "0.2.1", "0.3.0"])
def test_no_difference_to_rolls_worker_of_code_and_to_what_a_judge_is_asked(release: str) -> None:
    values = compared("runner_rewards_tested.py", "roll", release, TESTED)
    assert values["differences"] == []
    assert values["earned"] > TESTED / 10
    assert values["asked"] == 4 * 5


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap, which confines code")
@pytest.mark.parametrize("release", ["0.4.1", "0.5.0", "0.6.1", "0.8.0"])
def test_no_difference_to_verls_programs_of_sandbox_fusion(release: str) -> None:
    values = compared("runner_rewards_programs.py", "verl", release, TESTED)
    assert values["differences"] == []
    assert values["earned"] > TESTED / 20


CHATLEARN = os.environ.get("CHATLEARN_SRC", "")


@pytest.mark.skipif(not CHATLEARN, reason="CHATLEARN_SRC names no clone of ChatLearn")
def test_no_difference_to_chatlearns_rule(tmp_path: Path) -> None:
    path = "HEAD:chatlearn/utils/rule_reward_score/math.py"
    words = ["git", "-C", CHATLEARN, "show", path]
    (tmp_path / "rule.py").write_bytes(subprocess.run(words, capture_output=True, check=True).stdout)
    rule = str(tmp_path / "rule.py")
    values = printed_by("runner_rewards_chatlearn.py", rule, str(STRINGS), folders=[], seconds=SECONDS)
    assert values["differences"] == [0]
    assert values["earned"] > RIGHT * STRINGS
