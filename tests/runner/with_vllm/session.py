"""Runs within the tests' own process, on engines and ranks that stay: starting them takes longer than most runs."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import ray
from rftconf_runner import checkpoint, places, supervision
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
    "OMP_NUM_THREADS": "1",  # numbers are compared with those of processes that Ray gives one
    "RAY_worker_niceness": "0",  # Ray gives way to everything else on the machine otherwise
    "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runners'}",
}
LOGICAL = 512
"""CPUs that Ray counts: the bundles of runs before stay taken, as their engines do, and share the real ones."""
Kept = dict[tuple[object, ...], list[list[Any]]]
_ENGINES: Kept = {}
"""What an engine is made of, and those that are there, each its ranks."""
_RANKS: Kept = {}
"""Trainers and critics that are there, by how many ranks they have: what they are to learn they are told anew."""
_GRADERS: dict[tuple[object, ...], Any] = {}
"""Models that score, by what they are."""
_MET: list[Any] = []
"""Where ranks met."""
_PLACED: list[Places] = []
"""The last places of the last run, also of one that was stopped."""
_place = places.placed


def _noted(*asked: Any) -> Places:
    """Places as they are made, and known here also where the run on them is stopped."""
    _PLACED[:] = [_place(*asked)]
    return _PLACED[0]


supervision.placed = _noted  # type: ignore[attr-defined,assignment]


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
    living = _living(job)
    _PLACED[:] = [living]
    try:
        train(job, folder, start, watch=Watch("quiet", folder / "events.jsonl"), living=living)
    finally:
        _keep(job, _PLACED[0])
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def _living(job: Job) -> Places:
    """What of earlier runs serves this one."""
    ranks, critics = (_RANKS.get((role, job.ranks), []) for role in ("policy", "critic"))
    engines = _ENGINES.get(_kind(job), [])
    taken = [engines.pop() for _ in range(min(job.engines, len(engines)))]
    of_critic = critics.pop() if critics and job.critic else []
    graders = {name: _GRADERS.pop((one, job.engine_seed), None) for name, one in job.posts}
    found = {name: actor for name, actor in graders.items() if actor}
    return Places(ranks.pop() if ranks else [], of_critic, taken, None, graders=found)


def _keep(job: Job, ended: Places) -> None:
    """For the next: what lives, but for the functions that score, which are the run's own."""
    if ended.scorer:
        ray.kill(ended.scorer)  # one may hang
    left = replace(ended, scorer=None)
    named, gone = left.named(), supervision.dead(left)
    _GRADERS.update(
        {(one, job.engine_seed): ended.graders[name] for name, one in job.posts if name in named and name not in gone}
    )
    for kept, kind, actors in (
        *((_ENGINES, _kind(job), engine) for engine in ended.engines),
        (_RANKS, ("policy", job.ranks), ended.ranks),
        (_RANKS, ("critic", job.ranks), ended.critics),
    ):
        if not actors:
            continue
        if any(named[name] in actors for name in gone):
            for actor in actors:
                ray.kill(actor)
        else:
            kept.setdefault(kind, []).append(actors)
    _MET.extend(ended.meetings)


def connected() -> None:
    """Ray is there."""
    if not ray.is_initialized():
        os.environ.update(ENVIRONMENT)
        ray.init(num_cpus=LOGICAL, include_dashboard=False, log_to_driver=False, configure_logging=False)


def close() -> None:
    """End Ray and all that is on it."""
    _ENGINES.clear()
    _RANKS.clear()
    _GRADERS.clear()
    _MET.clear()
    _PLACED.clear()
    ray.shutdown()


def _kind(job: Job) -> tuple[object, ...]:
    return (job.model, job.tokenizer, job.dtype, job.engine_seed, job.tempered, job.tp, job.longest, job.interrupts)
