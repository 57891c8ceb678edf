"""The runner's period beside the bare sum of its parts and beside TRL's GRPOTrainer, on the demo, in one run.

`.runner/bin/python -m benches.runner_speed --trl FOLDER [-o FILE]`, where FOLDER is `pip install --no-deps --target FOLDER
trl==1.16.0` (PEFT and accelerate are in the runner's environment). All three take the same model, prompts, 8 groups of 16,
at most 16 tokens and one update a period, at a learning rate of 0, so that answers stay as long as they are. The parts take
turns; only ratios travel, and the machine's load is beside them.
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
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # Ray gives way to everything else on the machine otherwise
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
WARM = 3
"""Steps that are not counted: the first ones compile, allocate and fill caches."""
PARTS = ("bare", "runner", "trl")


def plan_of(demo: Path) -> Any:
    """The plan of the demo's launch script."""
    from rftconf.load import load
    from rftconf.text.read import read
    from rftconf.text.source import open_source

    return load(read(open_source(str(demo / "run_grpo.sh")))).plan


def job_for(demo: Path, steps: int) -> Any:
    """The demo's run without checkpoints, at a learning rate of 0."""
    from rftconf_runner.job_reader import job_of

    job = job_of(plan_of(demo))
    return replace(job, rollouts=steps, save_every=0, optimizer=replace(job.optimizer, lr=0.0))


def runner(demo: Path, steps: int) -> dict[str, Any]:
    """Seconds from one period's end to the next, and what the runner says of its phases."""
    import ray
    from rftconf_runner.driver import train
    from rftconf_runner.watch import Watch

    class Clock(Watch):
        ends: list[float]

        def periodic(self, values: Any) -> None:
            self.ends.append(time.perf_counter())
            super().periodic(values)

    watch = Clock("quiet")
    watch.ends = []
    ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    with tempfile.TemporaryDirectory() as folder:
        train(job_for(demo, steps), Path(folder), watch=watch)
        rows = [json.loads(line) for line in Path(folder, "metrics.jsonl").read_text().splitlines()]
    ray.shutdown()
    phases = {name: [row[f"{name}_seconds"] for row in rows[1:]] for name in ("rollout", "update", "sync")}
    tokens = [float(row["tokens"]) for row in rows[1:]]
    return {"step": [b - a for a, b in zip(watch.ends, watch.ends[1:], strict=False)], **phases, "tokens": tokens}


def bare(demo: Path, steps: int) -> dict[str, Any]:
    """vLLM, FSDP2 and vLLM's own reload in one process, without anything between them."""
    import torch
    from benches.runner_parts import Training, engine_for, generated, prompts_of, reloaded

    job = job_for(demo, steps)
    engine, training, prompts = engine_for(job), Training(job), prompts_of(job)
    found: dict[str, list[float]] = {"rollout": [], "log_probs": [], "update": [], "sync": [], "step": []}
    for at in range(steps):
        clock = [time.perf_counter()]
        answers = generated(engine, job, prompts, seed=at * job.sequences)
        clock.append(time.perf_counter())
        training.log_probs(answers)
        clock.append(time.perf_counter())
        training.update(answers)
        clock.append(time.perf_counter())
        reloaded(engine, training.weights())
        clock.append(time.perf_counter())
        seconds = [b - a for a, b in zip(clock, clock[1:], strict=False)]
        for name, value in zip(found, (*seconds, clock[-1] - clock[0]), strict=True):
            found[name].append(value)
    torch.distributed.destroy_process_group()
    return found


def trl(demo: Path, steps: int) -> dict[str, Any]:
    """TRL generates with transformers here: its own use of vLLM stops in vLLM's CPU build, which keeps no loader on
    packed weights."""
    from benches.runner_parts import trl_steps

    return {"step": trl_steps(demo, job_for(demo, steps), steps)}


def measured(part: str, demo: Path, steps: int, trl_folder: Path) -> dict[str, Any]:
    """One part in a process of its own; medians of what came after the warm steps."""
    paths = [ROOT, ROOT / "runners", *([trl_folder] if part == "trl" else [])]
    before = os.getloadavg()[0]
    done = subprocess.run(
        [sys.executable, "-m", "benches.runner_speed", "--part", part, "--demo", str(demo), "--steps", str(steps)],
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": os.pathsep.join(map(str, paths))},
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
    ours, sums = seconds["runner"], seconds["bare"]
    total = sum(sums[name] for name in ("rollout", "log_probs", "update", "sync"))
    found = {
        "seconds": seconds,
        "overhead_over_bare": round(ours["step"] / total - 1, 3),
        "sync_share_of_step": round(ours["sync"] / ours["step"], 3),
    }
    if "trl" in seconds:
        found["steps_per_second_over_trl"] = round(seconds["trl"]["step"] / ours["step"], 2)
    return found


def main() -> None:
    """Print the figures as JSON, or one part's seconds where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trl", type=Path, help="the folder that holds trl; left out without it")
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--demo", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        print(json.dumps({"bare": bare, "runner": runner, "trl": trl}[asked.part](asked.demo, asked.steps)))
        return
    with tempfile.TemporaryDirectory() as folder:
        from rftconf_runner.demo import make

        make(Path(folder))
        parts = [part for part in PARTS if part != "trl" or asked.trl]
        rounds = [
            {part: measured(part, Path(folder), asked.steps, asked.trl or Path()) for part in parts}
            for _ in range(asked.rounds)
        ]
    found = {
        "cores": os.cpu_count(),
        "steps": asked.steps - WARM,
        "loads": [{part: one[part]["load"] for part in parts} for one in rounds],
        **summary(rounds),
    }
    text = json.dumps(found, indent=2)
    print(text)
    if asked.output:
        asked.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
