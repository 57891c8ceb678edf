"""The runner's advantages and losses beside veRL's own functions, and beside plain loops: values and gradients."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from tests.conformance.environment import JUDGES, ROOT, folder

RUNNER = ROOT / "runners"
TOLERANCE = 1e-6
ROUNDING = 1e-9
"""Plain loops over the same 64-bit numbers differ by rounding only."""
CASES = "20"


@pytest.fixture(scope="module")
def compared() -> dict[str, Any]:
    releases = folder() / "releases"
    path = [releases / "verl-0.9.1", releases / "megatron-core", RUNNER, JUDGES]
    done = subprocess.run(
        [folder() / "venv" / "bin" / "python", JUDGES / "runner_mathematics.py", CASES],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_no_difference_to_verls_functions(compared: dict[str, Any]) -> None:
    verl = {name: gap for name, gap in compared["differences"].items() if name.endswith("/verl")}
    assert len(verl) >= 53
    assert {name: gap for name, gap in verl.items() if not gap <= TOLERANCE} == {}


def test_no_difference_to_plain_loops(compared: dict[str, Any]) -> None:
    plain = {name: gap for name, gap in compared["differences"].items() if name.endswith("/reference")}
    assert {name: gap for name, gap in plain.items() if not gap <= ROUNDING} == {}


def test_every_function_has_a_peer(compared: dict[str, Any]) -> None:
    judged = {name.rpartition("/")[0] for name in compared["differences"]}
    assert set(compared["functions"]) <= judged
