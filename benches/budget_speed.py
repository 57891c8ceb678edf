"""What a budget costs: cold as a command, warm as a function, and beside estimators that run offline.

`python benches/budget_speed.py [--peer-python PY]`, where PY has accelerate and torch: its estimate of the same model from
the same local config.json, in a process of its own. All numbers are CPU time of this run; only ratios travel.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SCRIPT = ROOT / "benches" / "grpo_60.sh"
MODEL = "Qwen/Qwen2.5-7B"
TIMES = 5
ACCELERATE = """
import sys
from accelerate import init_empty_weights
from accelerate.commands.estimate import estimate_training_usage
from accelerate.utils import calculate_maximum_sizes
from transformers import AutoConfig, AutoModelForCausalLM
with init_empty_weights():
    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(sys.argv[1]))
total, largest = calculate_maximum_sizes(model)
print(total, estimate_training_usage(total, "float32"))
"""


def cpu_ms(command: list[str]) -> float:
    """CPU time [ms] of the fastest of some runs."""
    found = []
    for _ in range(TIMES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(done.stderr.decode())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * min(found)


def warm_ms() -> float:
    """CPU time [ms] of reading a setup from a plan and pricing it, the fastest of many."""
    from rftconf.budget.gpus import gpu_named
    from rftconf.budget.price import price
    from rftconf.budget.setup import Asked, setup_of
    from rftconf.load import load
    from rftconf.text.read import read
    from rftconf.text.source import open_source

    plan, gpu, found = load(read(open_source(SCRIPT))).plan, gpu_named("h100-80g"), []
    for _ in range(50):
        start = time.process_time()
        price(setup_of(plan, Asked(model=MODEL)), gpu)
        found.append(time.process_time() - start)
    return 1000 * min(found)


def peer_ms(python: str) -> float:
    """CPU time [ms] of accelerate's estimate from a local config.json."""
    from rftconf.budget.models import rows

    config = next(row.config for row in rows() if row.name == MODEL)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps({**config, "architectures": ["Qwen2ForCausalLM"]}))
        return cpu_ms([python, "-c", ACCELERATE, folder])


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer-python", help="an interpreter that has accelerate, transformers and torch")
    asked = parser.parse_args()
    command = [sys.executable, "-m", "rftconf", "budget", str(SCRIPT), "--gpu", "h100-80g", "--model", MODEL, "-q"]
    bare = cpu_ms([sys.executable, "-c", "pass"])
    found = {"bare_python_ms": bare, "cold_ms": cpu_ms(command), "warm_ms": warm_ms()}
    if asked.peer_python:
        found["accelerate_ms"] = peer_ms(asked.peer_python)
        found["cold_is"] = found["cold_ms"] / found["accelerate_ms"]
    print(json.dumps({name: round(value, 3) for name, value in found.items()}, indent=2))


if __name__ == "__main__":
    main()
