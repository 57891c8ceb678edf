"""Runs within the tests' own process, on engines and ranks that stay: starting them takes longer than most runs."""

from __future__ import annotations

import gc
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ray
from rftconf_runner import checkpoint, places, supervision, trackers
from rftconf_runner.demo import SIZES
from rftconf_runner.job import Job
from rftconf_runner.job_reader import job_of
from rftconf_runner.places import Places
from rftconf_runner.refusals import refusals
from rftconf_runner.rules import give
from rftconf_runner.training import train
from rftconf_runner.watch import Watch

from rftconf.plan.model import Plan
from tests.runner.with_vllm import engines
from tests.sources import ROOT

ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",  # numbers are compared with those of processes that Ray gives one
    "RAY_worker_niceness": "0",  # Ray gives way to everything else on the machine otherwise
    "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), str(ROOT / "runners"), os.environ.get("PYTHONPATH", "")))),
}
LOGICAL = 512
"""CPUs that Ray counts: the bundles of runs before stay taken, as their engines do, and share the real ones."""
WHOLE = bool(os.environ.get("RFTCONF_RUNNER_MATRIX")) or os.environ.get("RFTCONF_RUNNER_NODES") == "1"
LAYERS = SIZES["num_hidden_layers"] if WHOLE else 2
"""Of the eight that the demo's model has: what most tests are about is not in the others, and they take as long again. Where
every death is timed, or a node is cut off, it is the demo as users have it."""
Kept = dict[tuple[object, ...], list[list[Any]]]
_RANKS: Kept = {}
"""Trainers and critics that are there, by how many ranks they have: what they are to learn they are told anew."""
_GRADERS: dict[tuple[object, ...], Any] = {}
"""Models that score, by what they are."""
_SCORERS: dict[str, Any] = {}
"""Processes of the rewards' functions, by what they hold."""
_MET: list[Any] = []
"""Where ranks met."""
_PLACED: list[Places] = []
"""The last places of the last run, also of one that was stopped."""
_place = places.start_workers


def _noted(*request: Any) -> Places:
    """Places as they are made, and known here also where the run on them is stopped."""
    _PLACED[:] = [_place(*request)]
    return _PLACED[0]


supervision.start_workers = _noted  # type: ignore[attr-defined,assignment]


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
    followers = trackers.opened(plan, folder, checkpoint.state_of(start).period if start else 0)
    ends = False
    try:
        train(job, folder, start, watch=Watch("quiet", folder / "events.jsonl"), trackers=followers, living=living)
        ends = True
    finally:
        trackers.close(followers)
        _keep(job, _PLACED[0], ends=ends)
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def _living(job: Job) -> Places:
    """What of earlier runs serves this one."""
    ranks, critics = (_RANKS.get((role, job.ranks), []) for role in ("policy", "critic"))
    taken = [engine for _ in range(job.engines) if (engine := engines.idle(job))]
    of_critic = critics.pop() if critics and job.critic else []
    graders = {name: _GRADERS.pop((grader, job.engine_seed), None) for name, grader in job.posts}
    values = {name: actor for name, actor in graders.items() if actor}
    scorer = _SCORERS.pop(_functions(job), None)
    return Places(ranks.pop() if ranks else [], of_critic, taken, scorer, graders=values)


def _keep(job: Job, ended: Places, *, ends: bool) -> None:
    """For the next: what lives, but for functions of a run that did not end, which may hang."""
    if ended.scorer and not ends:
        ray.kill(ended.scorer)
    new_places = ended if ends else replace(ended, scorer=None)
    named, removed = new_places.named(), supervision.dead(new_places)
    if new_places.scorer and "reward 0" not in removed:
        _SCORERS[_functions(job)] = new_places.scorer
    _GRADERS.update(
        {
            (grader, job.engine_seed): ended.graders[name]
            for name, grader in job.posts
            if name in named and name not in removed
        }
    )
    dead = [named[name] for name in removed]
    for engine in _alive(dead, ended.engines):
        engines.keep(job, engine)
    for role, ranks in (("policy", ended.ranks), ("critic", ended.critics)):
        _RANKS.setdefault((role, job.ranks), []).extend(_alive(dead, [ranks]))
    _MET.extend(ended.meetings)


def _alive(dead: Sequence[Any], result: Sequence[list[Any]]) -> Iterator[list[Any]]:
    """Those of which every rank lives; ranks whose peer died go with it."""
    for ranks in result:
        if any(rank in dead for rank in ranks):
            for rank in ranks:
                ray.kill(rank)
        elif ranks:
            yield ranks


def connected() -> None:
    """Ray is there."""
    if not ray.is_initialized():
        os.environ.update(ENVIRONMENT)
        ray.init(num_cpus=LOGICAL, include_dashboard=False, log_to_driver=False, configure_logging=False)


def close() -> None:
    """End Ray and all that is on it. Ray drops handles of processes that still end, of which Python warns."""
    engines.forget()
    _RANKS.clear()
    _GRADERS.clear()
    _SCORERS.clear()
    _MET.clear()
    _PLACED.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        ray.shutdown()
        gc.collect()


def _functions(job: Job) -> str:
    """What a process of the rewards' functions is made of."""
    return repr((job.rewards, job.graders))
