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
    path = tmp_path / "found.json"
    done = bench("--dry-run", "--steps", "4", "-o", str(path))
    assert done.returncode == 0, done.stderr[-2000:]
    data = json.loads(path.read_text())
    assert data == json.loads(done.stdout)
    assert data["dry_run"] is True
    assert set(data["tokens_per_second"]) == {"rollout", "update"}
    for entry in data["tokens_per_second"].values():
        assert min(entry["runner"], entry["bare"]) > 0
        assert entry["ratio"] == pytest.approx(entry["runner"] / entry["bare"], abs=0.01)
        assert entry["holds"] == (entry["ratio"] >= 0.95)
    assert set(data["phases"]) == {"generate", "reward", "update", "sync", "save"}
    assert all(phase["said"] > 0 for phase in data["phases"].values())


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="there is a GPU")
def test_without_a_gpu_nothing_is_measured() -> None:
    done = bench("--gpu", "h100-80g")
    assert done.returncode == 1
    assert "no GPU here" in done.stderr


def test_which_gpu_is_not_guessed() -> None:
    done = bench()
    assert done.returncode == 2
    assert "--gpu" in done.stderr


def test_what_is_measured_on_a_gpu_is_a_run(tmp_path: Path) -> None:
    """A model as the bench makes it is too large here; its launch script is not."""
    pytest.importorskip("vllm", reason="needs make runner-env")
    from rftconf_runner.demo import SCRIPT
    from rftconf_runner.job_reader import job_of

    from benches.runner_gpu import overrides
    from benches.runner_parts import plan_of

    text = " \\\n    ".join([SCRIPT.format(folder=tmp_path).rstrip("\n"), *overrides(32, 512)])
    (tmp_path / "run_grpo.sh").write_text(text + "\n")
    job = job_of(plan_of(tmp_path))
    assert (job.dtype, job.stored, job.checkpointing) == ("bfloat16", "float32", True)
    assert (job.prompts, job.response_tokens, job.micro.sequences, job.memory_fraction) == (32, 512, 32, 0.5)
    assert job.old_in_update, "the bare update has no pass for old log-probs"
