"""What a budget costs: cold as a command, warm as a function, and beside estimators that run offline.

`python benches/budget_speed.py [--peer-python PY] [--hf-mem-python PY]`. The first PY has accelerate and torch: its estimate
of the same model from the same local config.json, in a process of its own. The second has hf-mem, whose command asks
huggingface.co for headers of the weights and has no other source, so it does not run offline; what does is its function for
the cache of one request, from the same config.json. All times are CPU time of this run; only ratios travel.
"""

from __future__ import annotations

import argparse
import json
import os
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
TIMES = 12
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
HF_MEM = """
import json, sys
from hf_mem.safetensors.kv_cache import compute_safetensors_kv_cache_size
with open(sys.argv[1] + "/config.json") as file:
    print(compute_safetensors_kv_cache_size(json.load(file), "BF16", int(sys.argv[2])))
"""
LENGTH = 4096
MODELS = (MODEL, "Qwen/Qwen3-8B", "Qwen/Qwen3-30B-A3B", "meta-llama/Llama-3.1-70B", "mistralai/Mistral-7B-v0.1",
          "google/gemma-2-9b-it", "openai/gpt-oss-20b", "deepseek-ai/DeepSeek-V2-Lite")  # fmt: skip
"""Whose caches are compared."""


def cpu_ms(command: list[str]) -> float:
    """CPU time [ms] of the fastest of some runs, compiled once, as installing a package does."""
    times = []
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir(), f"bytecode-{os.getpid()}"))
    for _ in range(TIMES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False, env=env)
        if done.returncode not in (0, 1):
            raise SystemExit(done.stderr.decode())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * min(times)


def warm_ms() -> float:
    """CPU time [ms] of reading a setup from a plan and pricing it, the fastest of many."""
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.budget.price import price
    from rftconf.budget.roles.setup import BudgetRequest, setup_of
    from rftconf.load.load import load
    from rftconf.text.read.read import read
    from rftconf.text.source import open_source

    plan, gpu, times = load(read(open_source(SCRIPT))).plan, gpu_named("h100-80g"), []
    for _ in range(50):
        start = time.process_time()
        price(setup_of(plan, BudgetRequest(model=MODEL)), gpu)
        times.append(time.process_time() - start)
    return 1000 * min(times)


def fit_ms() -> float:
    """CPU time [ms] of all that `--fit` answers, with a proof each, on the GPU where it takes longest."""
    from rftconf.budget.advice.inverse_questions import answers
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.budget.roles.setup import BudgetRequest, setup_of
    from rftconf.load.load import load
    from rftconf.text.read.read import read
    from rftconf.text.source import open_source

    setup, times = setup_of(load(read(open_source(SCRIPT))).plan, BudgetRequest(model=MODEL)), []
    for gpu in ("rtx-4090-24g", "a100-40g", "h100-80g"):
        start = time.process_time()
        answers(setup, gpu_named(gpu))
        times.append(time.process_time() - start)
    return 1000 * max(times)


def with_config(name: str, command: list[str]) -> tuple[float, str]:
    """CPU time [ms] and last line of a command that gets a folder with the model's config.json."""
    from rftconf.budget.facts.models import rows

    config = next(row.config for row in rows() if row.name == name)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps({**config, "architectures": ["Qwen2ForCausalLM"]}))
        full = [part.replace("FOLDER", folder) for part in command]
        took = cpu_ms(full)
        result = subprocess.run(full, capture_output=True, cwd=ROOT, check=False, text=True)
    return took, (result.stdout.split() or [result.stderr.strip().splitlines()[-1]])[-1]


def caches(python: str) -> dict[str, dict[str, int | str]]:
    """The cache of one request of `LENGTH` tokens by hf-mem and by us [B]."""
    from rftconf.budget.facts.models import resolve
    from rftconf.budget.terms.kv_cache import CacheShape, block_bytes, blocks_per_request

    sizes: dict[str, dict[str, int | str]] = {}
    for name in MODELS:
        _, output = with_config(name, [python, "-c", HF_MEM, "FOLDER", str(LENGTH)])
        shape = CacheShape(resolve(name).architecture, max_model_tokens=LENGTH)
        ours = block_bytes(shape) * blocks_per_request(shape)
        sizes[name] = {"hf_mem": int(output) if output.isdigit() else output, "rftconf": ours}
    return sizes


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer-python", help="an interpreter that has accelerate, transformers and torch")
    parser.add_argument("--hf-mem-python", help="an interpreter that has hf-mem")
    args = parser.parse_args()
    command = [sys.executable, "-m", "rftconf", "budget", str(SCRIPT), "--gpu", "h100-80g", "--model", MODEL, "-q"]
    figures: dict[str, float] = {"bare_python_ms": cpu_ms([sys.executable, "-c", "pass"])}
    figures |= {"cold_ms": cpu_ms(command), "warm_ms": warm_ms(), "fit_ms": fit_ms()}
    if args.peer_python:
        figures["accelerate_ms"], _ = with_config(MODEL, [args.peer_python, "-c", ACCELERATE, "FOLDER"])
        figures["cold_is"] = figures["cold_ms"] / figures["accelerate_ms"]
    if args.hf_mem_python:
        figures["hf_mem_cache_only_ms"], _ = with_config(
            MODEL, [args.hf_mem_python, "-c", HF_MEM, "FOLDER", str(LENGTH)]
        )
    data: dict[str, object] = {name: round(value, 3) for name, value in figures.items()}
    if args.hf_mem_python:
        data["cache_of_one_request_bytes"] = caches(args.hf_mem_python)
    print(json.dumps(data, indent=2))


if __name__ == "__main__":
    main()
