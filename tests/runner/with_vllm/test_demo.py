"""The demo, really run: vLLM, FSDP2 and Ray on this machine's processor. Needs the environment of `make runner-env`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rftconf.load import load
from rftconf.text.read import read
from rftconf.text.source import open_source
from tests.sources import ROOT

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
pytestmark = pytest.mark.filterwarnings("default")
MOST_SECONDS = 900


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    python("-m", "rftconf_runner.demo", str(folder))
    return folder


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    more = {
        "RAY_USAGE_STATS_ENABLED": "0",
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runners'}",
    }
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_SECONDS,
    )


def trained(demo: Path, name: str, **changes: str) -> list[dict[str, Any]]:
    """The metrics of a run of the demo's script with other values for `__`-dotted keys."""
    script = (demo / "run_grpo.sh").read_text()
    words = " ".join(f"{key.replace('__', '.')}={value}" for key, value in changes.items())
    file = demo / f"{name}.sh"
    file.write_text(script.rstrip() + f" \\\n    {words}\n")
    plan = demo / f"{name}.json"
    plan.write_text(load(read(open_source(str(file)))).plan.model_dump_json())
    done = python("-m", "rftconf_runner", str(plan), "--out", str(demo / name))
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in (demo / name / "metrics.jsonl").read_text().splitlines()]


def without_times(metrics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in one.items() if not key.endswith("_seconds")} for one in metrics]


def test_the_reward_rises(demo: Path) -> None:
    metrics = trained(demo, "whole")
    assert metrics[0]["reward"] < 0.2
    assert metrics[-1]["reward"] > 0.9
    assert max(one["parity"] for one in metrics) <= 1e-5
    assert (demo / "whole" / "step-000020" / "model.safetensors").is_file()
    assert list((demo / "whole").glob("*.partial")) == []


def test_the_same_run_is_the_same_curve(demo: Path) -> None:
    once, again = (trained(demo, name, trainer__total_training_steps="4") for name in ("once", "again"))
    assert without_times(once) == without_times(again)


def test_ranks_and_micro_batches_change_no_mathematics(demo: Path) -> None:
    short = {"trainer__total_training_steps": "2"}
    one = trained(demo, "one", **short)[0]
    cut = {"trainer__n_gpus_per_node": "2", "actor_rollout_ref__actor__ppo_micro_batch_size_per_gpu": "16"}
    two = trained(demo, "two", **short, **cut)[0]
    assert two["reward"] == one["reward"]
    assert two["gradient_norm"] == pytest.approx(one["gradient_norm"], rel=1e-4)
    assert two["loss"] == pytest.approx(one["loss"], abs=1e-5)


def test_a_reward_that_is_no_number_stops_the_run(demo: Path) -> None:
    (demo / "bad.py").write_text("def compute_score(**_):\n    return float('nan')\n")
    script = (demo / "run_grpo.sh").read_text().replace("$FOLDER/reward.py", "$FOLDER/bad.py")
    (demo / "bad.sh").write_text(script)
    plan = demo / "bad.json"
    plan.write_text(load(read(open_source(str(demo / "bad.sh")))).plan.model_dump_json())
    done = python("-m", "rftconf_runner", str(plan), "--out", str(demo / "bad"))
    assert done.returncode == 1
    assert "no finite number" in done.stderr
