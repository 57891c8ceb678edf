"""The bench for a GPU, as far as a machine without one goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "runners")])}


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("vllm", reason="needs make runner-env")
    command = [sys.executable, "-m", "benches.runner_gpu", *arguments]
    return subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=500, check=False)


def test_a_dry_run_takes_every_step(tmp_path: Path) -> None:
    kept = tmp_path / "found.json"
    done = bench("--dry-run", "--steps", "4", "-o", str(kept))
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(kept.read_text())
    assert found == json.loads(done.stdout)
    assert found["dry_run"] is True
    assert set(found["tokens_per_second"]) == {"rollout", "update"}
    for one in found["tokens_per_second"].values():
        assert min(one["runner"], one["bare"]) > 0
        assert one["ratio"] == pytest.approx(one["runner"] / one["bare"], abs=0.01)
        assert one["holds"] == (one["ratio"] >= 0.95)
    assert set(found["phases"]) == {"generate", "reward", "update", "sync", "save"}
    assert all(one["said"] > 0 for one in found["phases"].values())


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="there is a GPU")
def test_without_a_gpu_nothing_is_measured() -> None:
    done = bench()
    assert done.returncode == 1
    assert "no GPU here" in done.stderr
