"""A run goes on when one of its processes dies: what died is placed anew, and all begins from the last checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ray

from rftconf_runner import checkpoint
from rftconf_runner.consistency_checks import GateError
from rftconf_runner.faults import Faults
from rftconf_runner.job import Job
from rftconf_runner.places import NOWHERE, Places, start_workers
from rftconf_runner.score_columns import BadRewardError
from rftconf_runner.watch import Watch

MOST_TRIES = 3
"""How often in a row a period may lose a process."""
ANSWER_SECONDS = 10.0
"""How long a process may take to say that it is there, after another one's error."""
OTHERS_SECONDS = 1.0
"""How long the others may take once one is known to be gone: a rank may wait for its dead peer for ever."""


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
    faults, tries, period, places = Faults(), 0, -1, NOWHERE
    while True:
        try:
            places = NOWHERE
            places = start_workers(job, start, living, lambda what: watch.event("waits", what=what))
            places.wait()
            faults.aim(places.named())
            attempt(places, start, faults)
        except (GateError, BadRewardError):  # no death; a function that hangs would be waited for
            raise
        except (ray.exceptions.RayError, RuntimeError) as error:
            began, dead_names = time.monotonic(), dead(places)
            if not dead_names:
                raise
            tries = tries + 1 if watch.period == period else 1
            period = watch.period
            what = f"{' and '.join(dead_names)} died in period {period}, phase {watch.phase}"
            if tries >= MOST_TRIES:
                raise LostError(f"{what}, {tries} times in a row: {_reason(error)}") from error
            living = _living_places(places, dead_names)
            start = checkpoint.newest(folder)
            watch.recovers(what, "the beginning" if start is None else start.name, began)
        else:
            return places


def _living_places(places: Places, dead_names: Sequence[str]) -> Places:
    """Return the processes that continue: the reward's and its models' where they live, and ranks of a model or engine
    none of which died; the others are ended, for they would wait for a dead one."""
    named = places.named()
    ranks, critics = (
        [] if any(named[name] in actors for name in dead_names) else actors for actors in (places.ranks, places.critics)
    )
    lost = {name.partition(".")[0] for name in dead_names}
    engines = [None if f"engine {index}" in lost else engine for index, engine in enumerate(places.engines)]
    scorer = None if "reward 0" in dead_names else places.scorer
    graders = {name: grader for name, grader in places.graders.items() if name not in dead_names}
    left_places = Places(ranks, critics, engines, scorer, places.slots, places.meetings, graders=graders)
    living = [rank for engine in engines if engine for rank in engine]
    for name, actor in named.items():
        if name in dead_names or actor not in (*ranks, *critics, *living, scorer, *graders.values()):
            ray.kill(actor)
    return left_places


def dead(places: Places) -> list[str]:
    """Names of the actors that are no more."""
    names_by_ref = {actor.__ray_ready__.remote(): name for name, actor in places.named().items()}
    waiting, dead_names, end = list(names_by_ref), set[str](), time.monotonic() + ANSWER_SECONDS
    while waiting and (seconds := end - time.monotonic()) > 0:
        answered, waiting = ray.wait(waiting, num_returns=1, timeout=seconds)
        newly_dead = {names_by_ref[ref] for ref in answered if _is_gone(ref)}
        if newly_dead and not dead_names:
            end = min(end, time.monotonic() + OTHERS_SECONDS)
        dead_names |= newly_dead
    return [name for name in names_by_ref.values() if name in dead_names]


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
