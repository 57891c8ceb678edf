"""Processes that are killed, disks that fill, rewards that go wrong: a run goes on by itself or says why, and nothing is lost.

RFTCONF_RUNNER_MATRIX=FILE kills every process in every phase, and adds a line a cell to FILE; without it, each process and
each phase die at least once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner import checkpoint
from rftconf_runner.consistency_checks import GateError
from rftconf_runner.faults import VARIABLE
from rftconf_runner.ledger import faults
from rftconf_runner.score_columns import BadRewardError
from rftconf_runner.supervision import LostError

from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, python, without_times

pytestmark = pytest.mark.filterwarnings("default")
MOST_SECONDS = 60
"""From a process's death to the end of the period that it died in."""
UNVALIDATED = {"trainer__val_before_train": "False"}
"""Rewards that fail at a call are asked for periods alone, and what dies does so in a phase of a period."""
WHOLE = {"trainer__total_training_steps": "6", "trainer__save_freq": "1", **UNVALIDATED}
MIXED = "reward@generate:2,engine@sync:3,trainer@update:4,reward@reward:5,trainer@save:5"
PHASES = ("generate", "reward", "update", "sync", "save")
KILLED = ("engine", "trainer", "reward")
CELLS = os.environ.get("RFTCONF_RUNNER_MATRIX", "")
EVERY_CELL = bool(CELLS)
MATRIX = [",".join(f"{who}@{phase}:{period}" for period, who in enumerate(KILLED, 2)) for phase in PHASES]


@pytest.fixture(scope="module")
def undisturbed(demo: Path) -> list[dict[str, Any]]:
    return without_times(session.run(planned(demo, "undisturbed", **WHOLE), demo / "undisturbed"))


def shared() -> float:
    """By how much a machine with other work is slower, at least."""
    return max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0)


def cell(who: str, phase: str, seconds: float) -> None:
    """One of the matrix, once everything about it held."""
    if CELLS:
        values = {"killed": who, "phase": phase, "seconds": round(seconds, 1), "load": round(os.getloadavg()[0], 1)}
        with Path(CELLS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(values) + "\n")


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("killed", [MIXED, *(MATRIX if EVERY_CELL else [])])
def test_what_dies_is_replaced(
    demo: Path, undisturbed: list[dict[str, Any]], killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The curve is that of a run without deaths, bit for bit, and every sequence was learned from once."""
    folder = demo / f"killed-{killed.replace('@', '-').replace(':', '-').replace(',', '_')}"
    monkeypatch.setenv(VARIABLE, killed)
    metrics = session.run(planned(demo, folder.name, **WHOLE), folder)
    events = lines(folder / "events.jsonl")
    assert [events[0]["event"], events[-1]["event"]] == ["lost", "recovered"]
    assert [e["what"].split()[0] for e in events if e["event"] == "lost"] == [
        k.split("@")[0] for k in killed.split(",")
    ]
    seconds = [event["seconds"] for event in events if event["event"] == "recovered"]
    assert max(seconds) <= MOST_SECONDS * shared(), seconds
    assert without_times(metrics) == undisturbed
    assert faults(lines(folder / "ledger.jsonl")) == []
    if killed != MIXED:
        for name, spent in zip(killed.split(","), seconds, strict=True):
            who, _, phase = name.partition(":")[0].partition("@")
            cell(who, phase, spent)


@pytest.mark.parametrize("phase", PHASES if EVERY_CELL else ["save"])
def test_a_killed_driver_is_gone_on_from(
    demo: Path, undisturbed: list[dict[str, Any]], phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The period after the last checkpoint is the same, bit for bit, and soon there."""
    plan, folder = planned(demo, f"driver-{phase}", **WHOLE), demo / f"driver-{phase}"
    monkeypatch.setenv(VARIABLE, f"driver@{phase}:3")
    done = python("-m", "rftconf_runner", str(plan), "--out", str(folder), "--json")
    assert done.returncode == -9
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert [entry["period"] for entry in messages] == list(range(1, len(messages) + 1))
    assert len(messages) in (2, 3)  # killed in the third, before or after it was said
    monkeypatch.delenv(VARIABLE)
    begun, last = time.time(), checkpoint.newest_name(folder)
    if EVERY_CELL:  # as a user would
        done = python("-m", "rftconf_runner", str(plan), "--out", str(folder), "--resume")
        assert done.returncode == 0, done.stderr
    else:
        session.run(plan, folder, resume=True)
    assert last is not None
    following = checkpoint.name(folder, checkpoint.state_of(last).period + 1)
    seconds = following.stat().st_mtime - begun  # the next period is over, and saved
    assert seconds <= MOST_SECONDS * shared(), seconds
    assert without_times(lines(folder / "metrics.jsonl")) == undisturbed
    assert faults(lines(folder / "ledger.jsonl")) == []
    assert list(folder.glob("*.partial")) == []
    cell("driver", phase, seconds)


GOES_WRONG = """
import pathlib, time

CALLS = pathlib.Path(__file__).with_suffix(".calls")


def compute_score(data_source, solution_str, ground_truth, extra_info):
    done = int(CALLS.read_text()) if CALLS.exists() else 0
    CALLS.write_text(str(done + 1))
    if done == 300 or 300 < done < 384 and {on}:  # in the third period
        {wrong}
    return sum(char.isdigit() for char in solution_str) / max(len(solution_str), 1)
"""

TOO_MUCH = "return 3e38"
"""A number, but several have a mean that is none."""


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("raise KeyError('what')", "KeyError: 'what'"),
        ("time.sleep(600)", "took longer than 5 s for 128 answers"),
        ("return 'much'", "'much', and no finite number"),
        (TOO_MUCH, "update 3: the loss is nan and the gradient's norm nan, no finite number"),
    ],
)
def test_a_reward_that_goes_wrong_loses_nothing(
    demo: Path, undisturbed: list[dict[str, Any]], wrong: str, message: str
) -> None:
    """It is named, what was learned before is saved although nothing was due, and the run goes on from there."""
    name = wrong.partition("(")[0].replace(" ", "-").replace(".", "-").replace("'", "")
    (demo / f"{name}.py").write_text(GOES_WRONG.format(wrong=wrong, on=wrong == TOO_MUCH))
    more = {"trainer__save_freq": "-1", "reward__custom_reward_function__path": f"$FOLDER/{name}.py"}
    plan, folder = planned(demo, name, **{**WHOLE, "trainer__total_training_steps": "3", **more}), demo / name
    with pytest.raises((BadRewardError, GateError), match=re.escape(message)):
        session.run(plan, folder, seconds=5.0)
    assert [path.name for path in folder.glob("step-*")] == ["step-000002"]
    assert without_times(session.run(plan, folder, resume=True)) == undisturbed[:3]


@pytest.mark.usefixtures("undisturbed")
def test_a_full_disk_is_named_and_leaves_what_was_saved(demo: Path) -> None:
    """On a file system of its own, that the second checkpoint does not fit on."""
    folder = demo / "full"
    folder.mkdir()
    size = sum(file.stat().st_size for file in (demo / "undisturbed" / "step-000001").rglob("*"))
    room = f"size={3 * size // 2}"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", room, "tmpfs", folder], check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("may not mount a file system here")
    try:
        plan = planned(demo, "full_disk", **{**WHOLE, "trainer__total_training_steps": "3"})
        with pytest.raises(checkpoint.CheckpointError, match="step-000002: no space left on the disk"):
            session.run(plan, folder)
        assert sorted(path.name for path in folder.glob("step-*")) == ["step-000001"]
        shutil.copytree(folder, demo / "roomy")
    finally:
        subprocess.run(["umount", folder], check=True)
    assert len(session.run(plan, demo / "roomy", resume=True)) == 3


def test_what_dies_every_time_is_named(demo: Path) -> None:
    (demo / "exits.py").write_text("import os\n\n\ndef compute_score(**_):\n    os._exit(1)\n")
    changes = {"trainer__total_training_steps": "1", "reward__custom_reward_function__path": "$FOLDER/exits.py"}
    with pytest.raises(LostError, match="reward 0 died in period 1, phase reward, 3 times in a row"):
        session.run(planned(demo, "exits", **changes, **UNVALIDATED), demo / "exits")
