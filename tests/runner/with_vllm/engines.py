"""Engines that stay from run to run, and become others: to import vLLM takes longer than most runs here do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ray
from rftconf_runner.job import Job
from rftconf_runner.rendezvous import Meeting, meeting
from rftconf_runner.rollout import engine_actor
from rftconf_runner.weights import Digests, Layout, differing, expected

Kind = tuple[object, ...]
_IDLE: list[tuple[Kind, list[Any]]] = []
"""What each is made of, and its ranks."""
_MET: list[Meeting] = []
"""Where ranks met."""
There = tuple[Layout, Digests]
"""What a rank says of its weights after a sync."""


def missed(weights: Sequence[tuple[str, Any]], target: There) -> list[str]:
    """Of the trainer's weights, by the names of what a rank does not hold as the trainer does."""
    return differing(expected(weights, target[0]), target[1])


def engine(job: Job) -> list[Any]:
    """The ranks of an idle one or, where none can become it, of a new one."""
    return idle(job) or _started(job)


def idle(job: Job) -> list[Any]:
    """The ranks of one that is like it, or becomes it; none where no idle one has as many."""
    new_expected = _kind(job)
    fitting = [index for index, (kind, _) in enumerate(_IDLE) if kind == new_expected]
    becoming = [index for index, (kind, _) in enumerate(_IDLE) if kind[:2] == new_expected[:2]]
    if not becoming:
        return []
    kind, ranks = _IDLE.pop((fitting or becoming)[-1])
    if kind != new_expected:
        address = _address(job)
        ray.get([actor.__ray_call__.remote(_become, job, rank, address) for rank, actor in enumerate(ranks)])
    return ranks


def keep(job: Job, ranks: list[Any]) -> None:
    """For the next; all of its ranks live."""
    _IDLE.append((_kind(job), ranks))


def forget() -> None:
    """All of them: Ray ends."""
    _IDLE.clear()
    _MET.clear()


def _started(job: Job) -> list[Any]:
    kind, address = engine_actor(job), _address(job)
    return [kind.remote(job, rank, address) for rank in range(job.tp)]


def _address(job: Job) -> tuple[str, int] | None:
    if job.tp == 1:
        return None
    _MET.append(meeting())
    return _MET[-1].address


def _become(actor: Any, job: Job, rank: int, address: tuple[str, int] | None) -> None:
    """Within the actor: what it was made of goes, and it is made anew."""
    import gc

    from vllm.distributed.parallel_state import cleanup_dist_env_and_memory

    del actor.llm, actor.resting
    gc.collect()
    cleanup_dist_env_and_memory()
    type(actor).__init__(actor, job, rank, address)


def _kind(job: Job) -> Kind:
    """How many ranks and which threads an actor has stays as it is; then what can become another."""
    result = (job.model, job.tokenizer, job.dtype, job.engine_seed, job.tempered, job.truncates, job.longest)
    return (job.tp, job.interrupts, *result)
