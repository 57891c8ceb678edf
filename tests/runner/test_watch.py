"""What is shown while a run runs, and the trackers that a plan names."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rftconf_runner import trackers
from rftconf_runner.metrics import plain
from rftconf_runner.watch import Watch, mode_of

from rftconf.plan.model import Identity, Plan

VALUES = {
    "period": 1,
    "reward": 0.25,
    "lag": 0,
    "lags": {"0": 8},
    "tokens": 300,
    "rollout_seconds": 1.0,
    "update_seconds": 2.0,
}


def shown(mode: str, tmp_path: Path) -> tuple[Watch, io.StringIO]:
    stream = io.StringIO()
    watch = Watch(mode, tmp_path / "events.jsonl", stream)
    watch.periods = 4
    return watch, stream


def test_one_line_that_moves(tmp_path: Path) -> None:
    watch, stream = shown("live", tmp_path)
    watch.enter(1, "generate")
    watch.periodic(VALUES)
    watch.enter(2, "update")
    last = stream.getvalue().split("\r")[-1].rstrip()
    assert last == "[#####...............] 1/4  reward 0.25  lag 0  100 tokens/s  [==>...] update"
    assert "\n" not in stream.getvalue()


def test_a_line_a_period(tmp_path: Path) -> None:
    watch, stream = shown("lines", tmp_path)
    watch.enter(1, "generate")
    watch.periodic(VALUES)
    assert stream.getvalue().startswith("period 1  reward 0.25  lag 0")


def test_json_lines(tmp_path: Path) -> None:
    watch, stream = shown("json", tmp_path)
    watch.periodic(VALUES)
    watch.recovers("engine 0 died", "step-000002", 0.0)
    watch.periodic(VALUES)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line.get("event") for line in lines] == [None, "lost", "recovered", None]
    assert lines[0] == VALUES
    remaining = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [line["event"] for line in remaining] == ["lost", "recovered"]
    assert remaining[0]["what"] == "engine 0 died"
    assert remaining[1]["seconds"] > 0


def test_nothing(tmp_path: Path) -> None:
    watch, stream = shown("quiet", tmp_path)
    watch.enter(1, "generate")
    watch.periodic(VALUES)
    watch.event("resumes")
    watch.close()
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("quiet", "json_lines", "terminal", "mode"),
    [
        (False, False, True, "live"),
        (False, False, False, "lines"),
        (True, False, True, "quiet"),
        (False, True, True, "json"),
    ],
)
def test_what_was_asked_for(quiet: bool, json_lines: bool, terminal: bool, mode: str) -> None:
    assert mode_of(quiet=quiet, json_lines=json_lines, terminal=terminal) == mode


def plan(*names: str) -> Plan:
    return Plan(identity=Identity(loggers=list(names), project="p", experiment="e"))


def test_a_library_that_is_missing_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trackers, "find_spec", lambda _: None)
    new_plan = plan("console", "wandb", "tensorboard", "swanlab")
    assert [why.split(";")[0] for _, why in trackers.missing(new_plan)] == ["names wandb", "names tensorboard"]
    assert "pip install tensorboardX" in trackers.missing(new_plan)[1][1]
    assert "--no-trackers" in trackers.missing(new_plan)[1][1]
    assert trackers.left_out(new_plan) == ["swanlab"]
    assert trackers.missing(Plan()) == []
    assert trackers.left_out(Plan()) == []


def test_each_tracker_gets_numbers_through_its_own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins with the calls that the libraries have; TensorBoard's files are read back in the runner's own tests."""
    got: list[tuple[Any, ...]] = []
    run = SimpleNamespace(
        log=lambda values, step: got.append(("wandb", step, values)), finish=lambda: got.append(("finished",))
    )

    def began(**request: str) -> Any:
        got.append(("init", request["project"], request["name"]))
        return run

    def started(run_id: str | None, run_name: str) -> Any:
        got.append(("run", run_name))
        return SimpleNamespace(info=SimpleNamespace(run_id="m1"))

    wandb = SimpleNamespace(init=began)
    mlflow = SimpleNamespace(
        set_experiment=lambda name: got.append(("experiment", name)),
        start_run=started,
        log_metrics=lambda values, step: got.append(("mlflow", step, values)),
        end_run=lambda: got.append(("ended",)),
    )
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    new_trackers = trackers.opened(plan("console", "wandb", "mlflow", "wandb"), tmp_path, 0)
    for tracker in new_trackers:
        tracker.log(3, plain(dict(VALUES)))
    trackers.close(new_trackers)
    numbers = {"reward": 0.25, "lag": 0, "lags/0": 8, "tokens": 300, "rollout_seconds": 1.0, "update_seconds": 2.0}
    assert got == [
        *(("init", "p", "e"), ("experiment", "p"), ("run", "e")),
        *(("wandb", 3, numbers), ("mlflow", 3, numbers), ("finished",), ("ended",)),
    ]


def test_a_run_that_goes_on_is_the_same_run_to_its_trackers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that begins is another, also in a folder where one ended before its first checkpoint."""
    monkeypatch.delenv("WANDB_RUN_ID", raising=False)
    wandbs, mlflows = list[str](), list[str | None]()
    run = SimpleNamespace(finish=lambda: None)

    def began(**request: str) -> Any:
        wandbs.append(request["id"])
        return run

    wandb = SimpleNamespace(init=began)

    def started(run_id: str | None, run_name: str) -> Any:
        mlflows.append(run_id)
        return SimpleNamespace(info=SimpleNamespace(run_id=run_id or f"new {len(mlflows)}"))

    mlflow = SimpleNamespace(set_experiment=lambda _: None, start_run=started, end_run=lambda: None)
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    for done in (0, 2, 4, 0, 2):
        trackers.close(trackers.opened(plan("wandb", "mlflow"), tmp_path, done))
    first, *_, last = wandbs
    assert wandbs == [first, first, first, last, last]
    assert first != last
    assert mlflows == [None, "new 1", "new 1", None, "new 4"]
    monkeypatch.setenv("WANDB_RUN_ID", "of the user")
    trackers.close(trackers.opened(plan("wandb"), tmp_path, 0))
    assert wandbs[-1] == "of the user"
