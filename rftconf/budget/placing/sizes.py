"""This module counts the ranks that train and the GPUs of each engine, on the GPUs that are there."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod
from typing import TYPE_CHECKING, Any, Literal

from rftconf.base.record import record
from rftconf.budget.placing.back_end import Gpus, heads, is_count, roles
from rftconf.plan.trainer_numbers import MEGATRON

if TYPE_CHECKING:
    from rftconf.plan.model import Plan, Stage


@record
class Sizes:
    """Ranks of every trainer, GPUs of all engines and of each (`tp`), and of the further models, None as they were.

    `layout` is None where it stays.
    """

    ranks: int
    engine_gpus: int
    tp: int
    auxiliary: tuple[Any, ...]
    layout: Literal["colocated"] | None = None


def engine_sizes(stage: Stage, gpus: Gpus) -> list[int]:
    """GPUs of one engine that divide a node and the model's attention heads: the source's, larger ones, smaller ones."""
    rollout, shared = stage.placement.rollout, heads(stage)
    engine_gpus = prod(size for size in (rollout.tp, rollout.pp) if is_count(size))
    fit = [size for size in range(1, gpus.per_node + 1) if gpus.per_node % size == 0 and shared % size == 0]
    own = max((size for size in fit if size <= engine_gpus and engine_gpus % size == 0), default=1)
    larger = [size for size in fit if size > own and size % own == 0]
    return [own, *larger, *(size for size in reversed(fit) if size < own and own % size == 0)]


def sizes_of(plan: Plan, gpus: Gpus, tp: int, *, regroups: bool = False) -> Sizes:
    """Return the sizes for engines of `tp` GPUs. Apart from each other, engines and trainer keep the source's shares as nearly as they can.

    Where a loss is a mean over each micro-batch these stay as large as they are, unless it `regroups`.
    """
    stage = plan.stages[0]
    place = stage.placement
    auxiliary, own_gpus = _further_models(stage, gpus)
    free = max(gpus.count - own_gpus, 1)
    if place.layout in ("colocated", None) or free < 1 + tp:
        lone: Literal["colocated"] | None = None if place.layout in ("colocated", None) else "colocated"
        return Sizes(_ranks(stage, free, regroups), max(free - free % tp, tp), tp, auxiliary, lone)
    share = _share_of_engines(plan)
    most = range(tp, free, tp)
    engines = min(most, key=lambda count: (abs(count / free - share), -_ranks(stage, free - count, regroups)))
    return Sizes(_ranks(stage, free - engines, regroups), engines, tp, auxiliary)


def _ranks(stage: Stage, most: int, regroups: bool) -> int:
    """Return the largest number of ranks, at most `most`, that share every update evenly."""
    counts = [stage.batch.sequences_per_update]
    if "critic" in roles(stage):
        counts.append(stage.batch.critic_sequences_per_update)
    shared = gcd(*(count for count in counts if is_count(count))) if any(map(is_count, counts)) else 0
    rows = stage.batch.micro.sequences_per_rank
    if not shared:
        return most
    even = [ranks for ranks in range(most, 0, -1) if shared % ranks == 0]
    whole = [ranks for ranks in even if is_count(rows) and shared // ranks % rows == 0]
    return whole[0] if whole and not regroups and _by_micro_batch(stage) and not by_tokens(stage) else even[0]


def _by_micro_batch(stage: Stage) -> bool:
    """True where the loss depends on which sequences meet in a micro-batch."""
    return stage.algorithm.loss_norm_scope in ("micro_batch_mean", "micro_batch_sum")


def by_tokens(stage: Stage) -> bool:
    """True where micro-batches are filled by tokens, and so hold other numbers of sequences."""
    micro = stage.batch.micro
    return micro.dynamic is True or (micro.dynamic is None and micro.tokens_per_rank is not None)


def notes(before: Plan, after: Plan) -> Iterator[str]:
    """Note that a loss over micro-batches takes other sequences together than in the source; its formula stays."""
    stage, new = before.stages[0], after.stages[0]
    update, rows, ranks = (
        stage.batch.sequences_per_update,
        stage.batch.micro.sequences_per_rank,
        new.placement.actor.gpus,
    )
    if not _by_micro_batch(stage) or not (is_count(update) and is_count(ranks)):
        return
    why = "the loss is normalised by micro-batch (stage.algorithm.loss_norm_scope)"
    if by_tokens(stage):
        had = _source_ranks(stage)
        if had != ranks:
            yield f"{why}, and {ranks} ranks fill them from other sequences than {had or 'the source'}{'' if had is None else ' do'}"
    elif is_count(rows) and update // ranks % rows:
        yield f"{why}, and {ranks} ranks of {update // ranks} sequences an update have no whole ones of {rows}"


def _source_ranks(stage: Stage) -> int | None:
    """Count the source's data-parallel ranks."""
    actor = stage.placement.actor
    sizes = [getattr(actor.megatron, name) for name in ("tp", "pp", "cp")] if actor.backend == MEGATRON else [
        actor.sp, *(getattr(actor.mesh, name) for name in ("tp", "pp", "cp"))]  # fmt: skip
    whole = prod(size for size in sizes if is_count(size))
    return max(actor.gpus // whole, 1) if is_count(actor.gpus) else None


def _share_of_engines(plan: Plan) -> float:
    """Return the engines' share of all GPUs in the source; half where the source leaves it open."""
    place = plan.stages[0].placement
    trainer, engines = place.actor.gpus, place.rollout.gpus
    if is_count(trainer) and is_count(engines):
        return engines / (trainer + engines)
    return 0.5


def _further_models(stage: Stage, gpus: Gpus) -> tuple[tuple[Any, ...], int]:
    """GPUs of each, and of those that have their own together: as many as in the source, one each where that is too many."""
    together = stage.placement.layout in ("colocated", None)
    counts, own_gpus = list[Any](), 0
    for extra in stage.placement.auxiliary:
        count: Any = extra.gpus
        for size in (extra.tp, extra.pp, extra.dp):
            if is_count(size) and is_count(count):
                count = max(count // size, 1)
        own = extra.own_pool is True or (extra.own_pool is None and not together)
        own = own and extra.engine != "external"
        counts.append(count)
        own_gpus += count if own and is_count(count) else 1 if own else 0
    if own_gpus * 2 > gpus.count:
        counts = [1 if is_count(count) else count for count in counts]
        own_gpus = min(own_gpus, len(counts))
    return tuple(counts), own_gpus
