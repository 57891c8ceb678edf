"""Makes updates of a period's lessons: in which order, how many at a time, and where each must begin."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from rftconf_runner import consistency_checks
from rftconf_runner.batch import Batch
from rftconf_runner.columns import Column
from rftconf_runner.job import OPTIMAL_BASELINE, Job
from rftconf_runner.measures import fresh_gap, kl_sum
from rftconf_runner.places import Places
from rftconf_runner.samples import Lessons
from rftconf_runner.shares import keep_rows, tell_ranks


def old_log_probs(job: Job, places: Places, batch: Batch, period: int) -> tuple[Column | None, dict[str, float]]:
    """Return the old log-probs for the plan's ratio, and as `parity` the difference of the engine's from the trainer's,
    where the trainer's very weights drew the answers; there are none where an update computes them itself.
    Raises GateError where the difference is too large."""
    if job.old == "engine":
        return batch.samples.drawn, {}
    if job.old_in_update:
        return None, {}
    old, gaps = keep_rows(places.ranks, job.sp, "old_log_probs", batch.samples, partial(fresh_gap, version=period - 1))
    fresh = any(gap.tokens for gap in gaps)
    return old, {"parity": consistency_checks.parity(gaps, job.dtype)} if fresh else {}


def reference_log_probs(job: Job, places: Places, batch: Batch) -> tuple[Column | None, float | None]:
    """Return the log-probs of the weights that the run began with, where something compares with them, and beside a KL loss their
    mean KL from those who drew."""
    if not job.compares:
        return None, None
    measure = partial(kl_sum, estimator=job.kl_loss.estimator) if job.kl_loss and not job.kl_reward else None
    reference, sums = keep_rows(places.ranks, job.sp, "reference_log_probs", batch.samples, measure)
    return reference, sum(sums) / max(batch.samples.tokens, 1) if measure else None


def values_of(job: Job, places: Places, batch: Batch) -> Column | None:
    """Return a number for each token, none but where the plan's advantages want one: a critic's value, or how likely two draws agree."""
    if job.advantage == OPTIMAL_BASELINE:
        return keep_rows(places.ranks, job.sp, "collisions", batch.samples)[0]
    return keep_rows(places.critics, job.sp, "values", batch.samples)[0] if places.critics else None


def critic_updates(job: Job, places: Places, lessons: Lessons, begins: Callable[[], None]) -> list[Any]:
    """Update the critic and return each update's figures; none without one. `begins` is called before the first."""
    order = list(range(len(lessons)))
    parts = _cut(lessons, order * job.critic.passes, job.critic.update) if job.critic else []
    if parts:
        begins()
    return [tell_ranks(places.critics, job.sp, "update", part) for part in parts]


def policy_updates(job: Job, places: Places, batch: Batch, parts: Sequence[Lessons], period: int) -> Iterator[Any]:
    """Update the policy and yield each update's figures. Raises GateError where the first does not begin at ratio 1."""
    gap = 0.0
    for number, part in enumerate(parts):
        updated = tell_ranks(places.ranks, job.sp, "update", part, period - 1)
        gap = gap if number else max(update.ratio_gap for update in updated)
        yield updated
        _first_ratio(job, batch, gap, period)


def parts_of(job: Job, lessons: Lessons, period: int) -> list[Lessons]:
    """Every pass over the period, shuffled where the plan says so and there is more than one update to shuffle into; or
    all passes over an update before the next. None while only a critic learns, nor where every answer is masked."""
    if period <= job.warmup or not lessons.teaching.any():
        return []
    parts = []
    for number in range(job.passes if job.sweeps else 1):
        order = list(range(len(lessons)))
        if job.shuffles and job.update < job.sequences:
            random.Random(f"{job.shuffle_seed}/{period}/{number}").shuffle(order)  # noqa: S311 - an order, no secret
        parts += _cut(lessons, order, job.update)
    return parts if job.sweeps else [part for part in parts for _ in range(job.passes)]


def _first_ratio(job: Job, batch: Batch, gap: float, period: int) -> None:
    """Check that the first ratio is 1. Against the engine's log-probs it is 1 only where the engine had the trainer's
    weights, and as near as parity."""
    if job.old != "engine":
        consistency_checks.first_ratio(gap, consistency_checks.FIRST_RATIO_MAX[job.dtype])
    elif (batch.samples.numbers.versions == period - 1).all():
        consistency_checks.first_ratio(gap, consistency_checks.PARITY_RATIO[job.dtype])


def _cut(lessons: Lessons, order: Sequence[int], size: int) -> list[Lessons]:
    return [lessons[np.array(order[index : index + size])] for index in range(0, len(order), size)]
