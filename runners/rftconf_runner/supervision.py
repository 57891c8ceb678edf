"""A run goes on when one of its processes dies: everything is placed anew, from the last checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ray

from rftconf_runner import checkpoint
from rftconf_runner.faults import Faults
from rftconf_runner.job import Job
from rftconf_runner.places import Places, placed, ready
from rftconf_runner.watch import Watch

MOST_TRIES = 3
"""How often in a row a period may lose a process."""
ANSWER_SECONDS = 10.0
"""How long a process may take to say that it is there, after another one's error."""


class LostError(RuntimeError):
    """A process that dies again and again at the same place."""


def supervised(
    job: Job,
    folder: Path,
    start: Path | None,
    watch: Watch,
    attempt: Callable[..., None],
    living: Places | None = None,
) -> Places:
    """Call `attempt(places, start, faults)` until it returns, on places that are given then; anew where an actor died.

    Deaths in a row in one period are counted: what dies every time is no accident.
    """
    faults, tries, period = Faults(), 0, -1
    while True:
        places = placed(job, start, living)
        try:
            ready(places)
            faults.aim(places.named())
            attempt(places, start, faults)
        except (ray.exceptions.RayError, RuntimeError) as error:
            began, gone = time.monotonic(), dead(places)
            if not gone:
                raise
            tries = tries + 1 if watch.period == period else 1
            period = watch.period
            what = f"{' and '.join(gone)} died in period {period}, phase {watch.phase}"
            if tries >= MOST_TRIES:
                raise LostError(f"{what}, {tries} times in a row: {_reason(error)}") from error
            living = _left(places, gone)
            start = checkpoint.newest(folder)
            watch.recovers(what, "the beginning" if start is None else start.name, began)
        else:
            return places


def _left(places: Places, gone: Sequence[str]) -> Places:
    """Engines and the reward's process where they live; trainers hold half a period and are ended."""
    for name, actor in places.named().items():
        if name in gone or actor in (*places.ranks, *places.critics):
            ray.kill(actor)
    lost = {name: actor for name, actor in places.named().items() if name in gone}
    engines = [engine for engine in places.engines if engine not in lost.values()]
    return Places([], [], engines, None if places.scorer in lost.values() else places.scorer)


def dead(places: Places) -> list[str]:
    """Names of the actors that are no more."""
    asked = {actor.__ray_ready__.remote(): name for name, actor in places.named().items()}
    ready, _ = ray.wait(list(asked), num_returns=len(asked), timeout=ANSWER_SECONDS)
    return [asked[ref] for ref in ready if _is_gone(ref)]


def _is_gone(ref: Any) -> bool:
    try:
        ray.get(ref)
    except ray.exceptions.RayActorError:
        return True
    except ray.exceptions.RayError:  # its constructor raised: it is a process that says why
        return False
    return False


def _reason(error: BaseException) -> str:
    return str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
