"""`rftconf run`: what the runner is started with, and what is said where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rftconf.cli.app import run

SCRIPT = "python3 -m verl.trainer.main_ppo data.train_batch_size=8 actor_rollout_ref.rollout.n=4\n"
STANDING_IN = """#!/bin/sh
cat "$3" > "{folder}/plan.json"
shift 3
echo "$@" > "{folder}/arguments"
exit {code}
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "run_grpo.sh"
    file.write_text(SCRIPT)
    return file


def standing_in(tmp_path: Path, code: int = 0) -> Path:
    """An interpreter that keeps what it is started with."""
    file = tmp_path / "python"
    file.write_text(STANDING_IN.format(folder=tmp_path, code=code))
    file.chmod(0o755)
    return file


def test_the_runner_gets_the_plan(script: Path, tmp_path: Path) -> None:
    words = ["--resume", "--reward", "reward.py:score", "--address", "head:6379"]
    folder = tmp_path / "out"
    assert run(["run", str(script), "-q", "-o", str(folder), "--python", str(standing_in(tmp_path)), *words]) == 0
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["stages"][0]["batch"]["responses_per_prompt"] == 4
    told = (tmp_path / "arguments").read_text().split()
    assert told == ["--out", str(folder), "--reward", "reward.py:score", "--address", "head:6379", "--resume"]


@pytest.mark.parametrize("code", [1, 2])
def test_its_exit_code_is_ours(script: Path, tmp_path: Path, code: int) -> None:
    words = ["-q", "-o", str(tmp_path / "out"), "--python", str(standing_in(tmp_path, code))]
    assert run(["run", str(script), *words]) == code


def test_a_dry_run_leaves_nothing(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["run", str(script), "-q", "--dry-run", "--python", str(standing_in(tmp_path))]) == 0
    assert not (tmp_path / "runs").exists()
    assert (tmp_path / "arguments").read_text().split()[-1] == "--dry-run"


def test_without_a_runner_it_is_said_how_to_get_one(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", str(script)]) == 2
    assert "make runner-env" in capsys.readouterr().err


def test_an_interpreter_that_is_none(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", str(script), "-q", "-o", str(tmp_path / "out"), "--python", str(tmp_path / "none")]) == 2
    assert "none: No such file" in capsys.readouterr().err


def test_what_cannot_be_read_is_not_started(tmp_path: Path) -> None:
    bad = tmp_path / "bad.sh"
    bad.write_text("python3 -m verl.trainer.main_ppo a='b\n")
    assert run(["run", str(bad), "--python", str(standing_in(tmp_path))]) == 2
    assert not (tmp_path / "arguments").exists()
