"""Makes updates of a period's lessons: in which order, how many at a time, and where each must begin."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rftconf_runner import consistency_checks
from rftconf_runner.batch import Batch
from rftconf_runner.job import OPTIMAL_BASELINE, Job
from rftconf_runner.places import Places, call, rows
from rftconf_runner.sequences import Lesson, Row


def old_log_probs(job: Job, places: Places, batch: Batch, period: int) -> tuple[list[Row], dict[str, float]]:
    """Return the old log-probs for the plan's ratio, and as `parity` the difference of the engine's from the trainer's,
    where the trainer's very weights drew the answers; both are empty where an update computes them itself.
    Raises GateError where the difference is too large."""
    if job.old == "engine":
        return [sample.drawn for sample in batch.samples], {}
    if job.old_in_update:
        return [()] * len(batch.samples), {}
    old = rows(places.ranks, "old_log_probs", batch.samples)
    drawn, own = batch.fresh(old, period - 1)
    return old, {"parity": consistency_checks.parity(drawn, own, job.dtype)} if drawn else {}


def values_of(job: Job, places: Places, batch: Batch) -> list[Row]:
    """Return a number for each token, where the plan's advantages want one: a critic's value, or how likely two draws agree."""
    if job.advantage == OPTIMAL_BASELINE:
        return rows(places.ranks, "collisions", batch.samples)
    return rows(places.critics, "values", batch.samples)


def critic_updates(job: Job, places: Places, lessons: list[Lesson], begins: Callable[[], None]) -> list[Any]:
    """Update the critic and return each update's figures; none without one. `begins` is called before the first."""
    parts = _cut(lessons * job.critic.passes, job.critic.update) if job.critic else []
    if parts:
        begins()
    return [call(places.critics, "update", part) for part in parts]


def policy_updates(job: Job, places: Places, batch: Batch, parts: Sequence[list[Lesson]], period: int) -> Iterator[Any]:
    """Update the policy and yield each update's figures. Raises GateError where the first does not begin at ratio 1."""
    gap = 0.0
    for number, part in enumerate(parts):
        updated = call(places.ranks, "update", part, period - 1)
        gap = gap if number else max(update.ratio_gap for update in updated)
        yield updated
        _first_ratio(job, batch, gap, period)


def parts_of(job: Job, lessons: list[Lesson], period: int) -> list[list[Lesson]]:
    """Every pass over the period, shuffled where the plan says so and there is more than one update to shuffle into; or
    all passes over an update before the next. None while only a critic learns, nor where every answer is masked."""
    if period <= job.warmup or not any(lesson.teaching for lesson in lessons):
        return []
    parts = []
    for number in range(job.passes if job.sweeps else 1):
        all_lessons = list(lessons)
        if job.shuffles and job.update < job.sequences:
            random.Random(f"{job.shuffle_seed}/{period}/{number}").shuffle(all_lessons)  # noqa: S311 - an order, no secret
        parts += _cut(all_lessons, job.update)
    return parts if job.sweeps else [part for part in parts for _ in range(job.passes)]


def _first_ratio(job: Job, batch: Batch, gap: float, period: int) -> None:
    """Check that the first ratio is 1. Against the engine's log-probs it is 1 only where the engine had the trainer's
    weights, and as near as parity."""
    if job.old != "engine":
        consistency_checks.first_ratio(gap, consistency_checks.FIRST_RATIO_MAX[job.dtype])
    elif all(sample.version == period - 1 for sample in batch.samples):
        consistency_checks.first_ratio(gap, consistency_checks.PARITY_RATIO[job.dtype])


def _cut(lessons: list[Lesson], size: int) -> list[list[Lesson]]:
    return [lessons[index : index + size] for index in range(0, len(lessons), size)]
