"""Runs within the tests' own process, on engines that stay: starting vLLM takes longer than most runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import ray
from rftconf_runner import checkpoint
from rftconf_runner.driver import train
from rftconf_runner.job import Job
from rftconf_runner.job_reader import job_of
from rftconf_runner.places import Places
from rftconf_runner.refusals import refusals
from rftconf_runner.rules import give
from rftconf_runner.watch import Watch

from rftconf.plan.model import Plan
from tests.sources import ROOT

ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "HF_HUB_OFFLINE": "1",
    "RAY_worker_niceness": "0",  # Ray gives way to everything else on the machine otherwise
    "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runners'}",
}
LOGICAL = 64
"""CPUs that Ray counts: the bundles of runs before stay taken, as their engines do, and share the real ones."""
_ENGINES: dict[tuple[object, ...], list[Any]] = {}
"""What an engine is made of, and those that are there."""
_MET: list[Any] = []
"""Where the ranks of those that have several met."""


def run(
    plan_file: Path, folder: Path, *, resume: bool = False, reward: str = "", seconds: float = 60.0
) -> list[dict[str, Any]]:
    """The metrics of a run, as `python -m rftconf_runner` makes them."""
    plan = Plan.model_validate_json(plan_file.read_text())
    if reward:
        give(plan, reward)
    assert refusals(plan) == []
    job = job_of(plan)
    object.__setattr__(job, "reward_seconds", seconds)
    folder.mkdir(exist_ok=True)
    start = checkpoint.newest(folder) if resume else None
    connected()
    living = Places([], [], _ENGINES.pop(_kind(job), [])[: job.engines], None)
    try:
        ended = train(job, folder, start, watch=Watch("quiet", folder / "events.jsonl"), living=living)
    except BaseException:
        close()
        raise
    for actor in filter(None, (*ended.ranks, *ended.critics, ended.scorer, *ended.graders.values())):
        ray.kill(actor)
    _ENGINES[_kind(job)] = ended.engines
    _MET.extend(ended.meetings if job.tp > 1 else ())
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def connected() -> None:
    """Ray is there."""
    if not ray.is_initialized():
        os.environ.update(ENVIRONMENT)
        ray.init(num_cpus=LOGICAL, include_dashboard=False, log_to_driver=False, configure_logging=False)


def close() -> None:
    """End Ray and all that is on it."""
    _ENGINES.clear()
    _MET.clear()
    ray.shutdown()


def _kind(job: Job) -> tuple[object, ...]:
    sampled = (job.interrupts, job.temperature, job.top_p, job.top_k, job.prompt_tokens, job.response_tokens)
    return (job.model, job.tokenizer, job.dtype, job.engine_seed, job.tempered, job.tp, *sampled)
