"""What a run says when it is stopped, and with which exit code. Nothing is started."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import ray
from ray.exceptions import RayTaskError
from rftconf_runner import __main__, checkpoint, slots, training
from rftconf_runner.consistency_checks import GateError
from rftconf_runner.score_columns import BadRewardError
from rftconf_runner.slots import NoPlaceError
from rftconf_runner.supervision import LostError

from rftconf.plan.model import Plan
from tests.runner.test_job import plan


def there(folder: Path) -> Plan:
    """A plan whose files are in the folder."""
    (folder / "model").mkdir()
    for name in ("train.parquet", "reward.py"):
        (folder / name).touch()
    return plan(
        data__train_files=str(folder / "train.parquet"),
        actor_rollout_ref__model__path=str(folder / "model"),
        reward__custom_reward_function__path=str(folder / "reward.py"),
    )


def stopped(monkeypatch: pytest.MonkeyPatch, folder: Path, error: Exception) -> int:
    """The exit code of a run that is stopped by `error` after two checkpoints, one of them not whole."""
    (folder / "plan.json").write_text(there(folder).model_dump_json())

    def train(*_: Any) -> None:
        (folder / "run" / "step-000004").mkdir()
        (folder / "run" / "step-000006.partial").mkdir()
        raise error

    monkeypatch.setattr(training, "train", train)
    monkeypatch.setattr(slots, "connect", lambda *_: None)
    monkeypatch.setattr(slots, "unit", lambda: "CPU")
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    monkeypatch.setattr(__main__, "_interrupts", lambda: lambda: False)
    words = [str(folder / "plan.json"), "--out", str(folder / "run"), "--quiet", "--no-trackers", "--no-validation"]
    monkeypatch.setattr(sys, "argv", ["", *words])
    return __main__.main()


@pytest.mark.parametrize("kind", [GateError, BadRewardError, LostError, NoPlaceError, checkpoint.CheckpointError])
def test_its_reason_and_what_is_kept(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stopped(monkeypatch, tmp_path, kind("of this")) == 1
    output = "stopped: of this; step-000004 holds what was learned before, and --resume goes on from it\n"
    assert capsys.readouterr() == ("", output)


def test_what_a_process_raised_is_said_without_its_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Make the error that Ray hands on: it is of both kinds, and its text is the actor's traceback."""
    theirs = RayTaskError("update", "Traceback of the actor", GateError("too far")).as_instanceof_cause()
    assert stopped(monkeypatch, tmp_path, theirs) == 1
    assert capsys.readouterr().err.startswith("stopped: too far; step-000004 holds")


def test_what_a_file_system_says_has_no_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/run/metrics.jsonl")
    assert stopped(monkeypatch, tmp_path, full) == 1
    assert capsys.readouterr().err.startswith("stopped: /run/metrics.jsonl: No space left on device; step-000004 holds")


def test_a_folder_that_cannot_be_made_has_none_either(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").write_text("a file")
    assert stopped(monkeypatch, tmp_path, AssertionError("nothing is begun")) == 1
    assert capsys.readouterr() == ("", f"{tmp_path / 'run'}: File exists\n")


def test_files_that_are_not_there_start_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(globals(), "there", lambda _: plan(reward__custom_reward_function__path=__file__))
    assert stopped(monkeypatch, tmp_path, AssertionError("nothing is begun")) == 2
    output = ["stage.data.train[].uri: /d/train.parquet is no file or folder", "stage.model.path: /m is no folder"]
    assert capsys.readouterr().err.splitlines() == output
    assert not (tmp_path / "run").exists()


def test_what_is_no_reason_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        stopped(monkeypatch, tmp_path, ZeroDivisionError())
