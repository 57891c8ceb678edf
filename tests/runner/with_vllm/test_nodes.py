"""The demo on two nodes with addresses of their own, one of which is cut off and comes back. Needs root, for namespaces.

Only with RFTCONF_RUNNER_NODES=1, as `make runner-nodes` has it: two clusters' worth of processes take minutes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.ledger import faults

from tests.runner.with_vllm import machines, session
from tests.runner.with_vllm.machines import OF_RAY, PORT, Machine
from tests.runner.with_vllm.test_demo import environment, planned, without_times

pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(os.environ.get("RFTCONF_RUNNER_NODES") != "1", reason="minutes; make runner-nodes"),
    pytest.mark.skipif(not machines.allowed(), reason="may not make network namespaces here"),
]
TWO = {"trainer__nnodes": "2", "trainer__n_gpus_per_node": "1", "trainer__total_training_steps": "4"}
TWO |= {"actor_rollout_ref__actor__ppo_micro_batch_size_per_gpu": "64", "trainer__save_freq": "1"}


@pytest.fixture(scope="module")
def undisturbed(demo: Path) -> list[dict[str, Any]]:
    """Two ranks and two engines on one node."""
    return without_times(session.run(planned(demo, "one_node", **TWO), demo / "one_node"))


@pytest.fixture(scope="module")
def two() -> Iterator[list[Machine]]:
    with machines.machines(2) as new_machines:
        yield new_machines


def begun(demo: Path, name: str, machine: Machine) -> subprocess.Popen[str]:
    """A run whose driver is on that machine."""
    words = [sys.executable, "-m", "rftconf_runner", str(planned(demo, name, **TWO)), "--out", str(demo / name)]
    return subprocess.Popen(
        machine.words(*words, "--address", f"{machine.head}:{PORT}", "--json"), env={**environment(), **OF_RAY},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_two_nodes_give_the_curve_of_one(demo: Path, two: list[Machine], undisturbed: list[dict[str, Any]]) -> None:
    with begun(demo, "two_nodes", two[0]) as process:
        _, message = process.communicate()
    assert process.returncode == 0, message[-3000:]
    assert without_times(lines(demo / "two_nodes" / "metrics.jsonl")) == undisturbed


def test_a_node_that_is_cut_off_and_comes_back(
    demo: Path, two: list[Machine], undisturbed: list[dict[str, Any]]
) -> None:
    """The run says what it waits for, goes on when the node is back, and its curve is that of a run undisturbed."""
    folder, away = demo / "cut_off", two[1]
    with begun(demo, "cut_off", two[0]) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert any('"period": 2' in line for line in process.stdout), process.stderr.read()[-3000:]
        away.pull()
        waits = next((line for line in process.stdout if '"waits"' in line), "")
        assert "2 CPUs that are not all there" in waits, process.stderr.read()[-3000:]
        away.plug()
        assert away.ray is not None
        away.ray.wait(120)  # the cluster has given it up: it ends, and whoever keeps it up starts it anew
        away.end()
        returned = time.monotonic()
        away.start()
        message = process.stdout.read()
    assert process.returncode == 0, message[-3000:]
    events = lines(folder / "events.jsonl")
    assert [event["event"] for event in events] == ["lost", "waits", "recovered"]
    # what was on that node, whichever of the two bundles Ray had put there
    assert re.match(r"trainer (\d) and engine \1 died in period \d", events[0]["what"]), events[0]["what"]
    print(f"recovered {events[-1]['seconds']:.1f} s after the loss was known; all of it {time.monotonic() - returned:.1f} s after the return")  # fmt: skip
    assert without_times(lines(folder / "metrics.jsonl")) == undisturbed
    assert faults(lines(folder / "ledger.jsonl")) == []
