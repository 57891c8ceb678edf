"""A run of a config that holds secrets leaves none in its folder, in whatever file, and prints none."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")

from tests.base.secrets.forms import FORMS
from tests.base.secrets.test_every_output import parts
from tests.runner.with_vllm import session

EVERY = 12
"""Every twelfth form is planted: the name of a run holds no more before file systems refuse it."""
MOST_SECONDS = 600


def test_a_run_writes_and_prints_no_secret(demo: Path, tmp_path: Path) -> None:
    planted = FORMS[::EVERY]
    exported = "".join(f"export {secret.name.upper()}={shlex.quote(secret.value)}\n" for secret in planted)
    script = (demo / "run_grpo.sh").read_text().rstrip().removeprefix("#!/usr/bin/env bash\n")
    names = [f'"trainer.experiment_name=run-{"-".join(f"${{{secret.name.upper()}}}" for secret in planted)}"']
    names += ["trainer.total_training_steps=2", "trainer.save_freq=1"]
    file = demo / "secrets.sh"
    file.write_text(exported + script + " \\\n    " + " \\\n    ".join(names) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "rftconf", "run", str(file), "-o", str(tmp_path / "run")],
        env={**os.environ, **session.ENVIRONMENT},
        capture_output=True,
        check=False,
        timeout=MOST_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"plan.json", "metrics.jsonl", "ledger.jsonl", "model.safetensors"} <= {path.name for path in written}
    everything = {"printed": done.stdout + done.stderr, **{str(path): data for path, data in written.items()}}
    output = {
        (place, secret.name)
        for place, data in everything.items()
        for secret in planted
        if any(part.encode() in data for part in parts(secret.secret))
    }
    assert output == set()
