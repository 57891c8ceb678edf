"""The runner's period beside the bare sum of its parts and beside TRL's GRPOTrainer, on the demo, in one run.

`.runner/bin/python -m benches.runner_speed --trl FOLDER [-o FILE]`, where FOLDER is `pip install --no-deps --target FOLDER
trl==1.16.0` (PEFT and accelerate are in the runner's environment). All three take the same model, prompts, 8 groups of 16,
the longest answer of each `--answer-tokens`, one update a period and as many threads as there are processors, at a learning
rate of 0, so that answers stay as long as they are. The parts take turns; only ratios travel, and the machine's load is
beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "GOMP_SPINCOUNT": "300000",  # OpenMP's own, for all: nothing else is to run; the runner is careful otherwise
    "RAY_worker_niceness": "0",  # added to what the process has; Ray adds 15 otherwise
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
WARM = 3
"""Steps that are not counted: the first ones compile, allocate and fill caches."""
PARTS = ("engine", "training", "runner", "trl")


def plan_of(demo: Path) -> Any:
    """The plan of the demo's launch script."""
    from rftconf.load import load
    from rftconf.text.read import read
    from rftconf.text.source import open_source

    return load(read(open_source(str(demo / "run_grpo.sh")))).plan


def job_for(demo: Path, steps: int, longest: int) -> Any:
    """The demo's run without checkpoints, at a learning rate of 0; answers of `longest` tokens, of the plan's where it is 0."""
    from rftconf_runner.job_reader import job_of

    job = job_of(plan_of(demo))
    job = replace(job, response_tokens=longest or job.response_tokens)
    return replace(job, rollouts=steps, save_every=0, optimizer=replace(job.optimizer, lr=0.0))


def runner(demo: Path, steps: int, longest: int) -> dict[str, Any]:
    """Seconds from one period's end to the next, and what the runner says of its phases."""
    import ray
    from rftconf_runner.driver import train
    from rftconf_runner.slots import connect
    from rftconf_runner.watch import Watch

    class Clock(Watch):
        ends: list[float]

        def periodic(self, values: Any) -> None:
            self.ends.append(time.perf_counter())
            super().periodic(values)

    watch = Clock("quiet")
    watch.ends = []
    job = job_for(demo, steps, longest)
    connect(job, None)
    with tempfile.TemporaryDirectory() as folder:
        train(job, Path(folder), watch=watch)
        rows = [json.loads(line) for line in Path(folder, "metrics.jsonl").read_text().splitlines()]
    ray.shutdown()
    phases = {name: [row[f"{name}_seconds"] for row in rows[1:]] for name in ("rollout", "update", "sync")}
    tokens = [float(row["tokens"]) for row in rows[1:]]
    return {"step": [b - a for a, b in pairwise(watch.ends)], **phases, "tokens": tokens}


def engine(demo: Path, steps: int, longest: int) -> dict[str, Any]:
    """vLLM alone: a period's answers, and its own reload of weights that are there."""
    from benches.runner_parts import engine_for, generated, prompts_of, weights_of

    job = job_for(demo, steps, longest)
    llm, prompts, weights = engine_for(job), prompts_of(job), weights_of(job)

    def reloaded() -> None:
        llm.collective_rpc("reload_weights", kwargs={"weights_iterator": list(weights)})
        llm.reset_prefix_cache()

    calls = {"rollout": lambda at: generated(llm, job, prompts, at * job.sequences), "sync": lambda _: reloaded()}
    return in_turns(calls, steps)


def training(demo: Path, steps: int, longest: int) -> dict[str, Any]:
    """FSDP2 alone, on random answers that end as the untrained model's do: an update, gathering the weights."""
    from benches.runner_parts import Training, random_answers

    job = job_for(demo, steps, longest)
    own, answers = Training(job), random_answers(job)
    return in_turns({"update": lambda _: own.update(answers), "gather": lambda _: own.weights()}, steps)


def in_turns(calls: Mapping[str, Callable[[int], object]], steps: int) -> dict[str, list[float]]:
    """Seconds of each call, every step."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for at in range(steps):
        for name, call in calls.items():
            began = time.perf_counter()
            call(at)
            found[name].append(time.perf_counter() - began)
    return found


def trl(demo: Path, steps: int, longest: int) -> dict[str, Any]:
    """TRL generates with transformers here: its own use of vLLM stops in vLLM's CPU build, which keeps no loader on
    packed weights."""
    from benches.runner_parts import trl_steps

    return {"step": trl_steps(demo, job_for(demo, steps, longest), steps)}


def measured(part: str, demo: Path, longest: int, asked: argparse.Namespace) -> dict[str, Any]:
    """One part in a process of its own; what came after the warm steps."""
    paths = [ROOT, ROOT / "runners", *([asked.trl] if part == "trl" else [])]
    threads = {} if part == "runner" else {"OMP_NUM_THREADS": str(asked.threads or os.cpu_count())}
    before = os.getloadavg()[0]
    done = subprocess.run(
        [sys.executable, "-m", "benches.runner_speed", "--part", part, "--demo", str(demo), "--steps", str(asked.steps),
         "--longest", str(longest)],
        env={**os.environ, **ENVIRONMENT, **threads, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{part}: {done.stderr[-3000:]}")
    found = {name: values[WARM:] for name, values in json.loads(done.stdout.splitlines()[-1]).items()}
    return {"load": [round(one, 1) for one in (before, os.getloadavg()[0])], "values": found}


def summary(rounds: list[dict[str, dict[str, Any]]]) -> dict[str, Any]:
    """Medians over all rounds, and the ratios that matter."""
    seconds = {
        part: {
            name: round(statistics.median([v for one in rounds for v in one[part]["values"][name]]), 4)
            for name in rounds[0][part]["values"]
        }
        for part in rounds[0]
    }
    ours, total = seconds["runner"], sum((*seconds["engine"].values(), *seconds["training"].values()))
    found = {
        "seconds": seconds,
        "overhead_over_bare": round(ours["step"] / total - 1, 3),
        "sync_share_of_step": round(ours["sync"] / ours["step"], 3),
    }
    if "trl" in seconds:
        found["steps_per_second_over_trl"] = round(seconds["trl"]["step"] / ours["step"], 2)
    return found


def compared(demo: Path, longest: int, asked: argparse.Namespace) -> dict[str, Any]:
    """All parts in turn, with answers of at most so many tokens."""
    parts = [part for part in PARTS if part != "trl" or asked.trl]
    rounds = [{part: measured(part, demo, longest, asked) for part in parts} for _ in range(asked.rounds)]
    loads = [{part: one[part]["load"] for part in parts} for one in rounds]
    return {"answer_tokens": longest, **summary(rounds), "loads": loads}


def main() -> None:
    """Print the figures as JSON, or one part's seconds where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trl", type=Path, help="the folder that holds trl; left out without it")
    parser.add_argument(
        "--threads", type=int, default=0, help="of the bare parts and of TRL; 0: one for each processor"
    )
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument(
        "--answer-tokens", type=int, nargs="+", default=[16, 128, 240], help="the longest answer; 16 is the demo's own"
    )
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--demo", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--longest", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        part = {"engine": engine, "training": training, "runner": runner, "trl": trl}[asked.part]
        print(json.dumps(part(asked.demo, asked.steps, asked.longest)))
        return
    with tempfile.TemporaryDirectory() as folder:
        from rftconf_runner.demo import make

        make(Path(folder))
        found = [compared(Path(folder), longest, asked) for longest in asked.answer_tokens]
    whole = {
        "cores": os.cpu_count(),
        "threads": asked.threads or os.cpu_count(),
        "steps": asked.steps - WARM,
        "lengths": found,
    }
    text = json.dumps(whole, indent=2)
    print(text)
    if asked.output:
        asked.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
