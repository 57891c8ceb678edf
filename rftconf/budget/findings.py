"""What a linter says of a run's memory and layout: plain findings from the same account, without codes of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rftconf.budget.gpus import Gpu
from rftconf.budget.price import Budget, price
from rftconf.budget.roles import Setup
from rftconf.budget.setup import Asked, setup_of

if TYPE_CHECKING:
    from rftconf.plan.model import Plan

GIB = 1 << 30
LITTLE, HALF = 0.05, 0.5


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `rule` is stable; `paths` are the plan fields to look at, the most telling first."""

    rule: str
    level: Literal["error", "warning", "info"]
    message: str
    paths: tuple[str, ...] = ()


P = "stage.placement."
_PATHS = {
    "GPU": ("cluster.gpus_per_node", P + "rollout.gpus", P + "actor.gpus"),
    "PAR": (P + "rollout.tp", P + "actor.sp", P + "actor.megatron.tp"),
    "BAT": ("stage.batch.sequences_per_update", P + "actor.gpus"),
}
_LAYOUT = {"GPU": "gpus-do-not-add-up", "PAR": "parallel-size-does-not-divide", "BAT": "batch-does-not-feed-all-ranks"}


def findings_of(plan: Plan, gpu: Gpu | None = None, asked: Asked | None = None) -> tuple[Finding, ...]:
    """Findings for a plan; those about memory need to know the GPU.

    Raises UsageError where the plan does not tell enough (a symbolic cluster, an unknown model).
    """
    setup = setup_of(plan, asked or Asked())
    budget = price(setup, gpu or _ANY)
    found = [*_layout(budget), *_idle(setup)]
    if gpu is not None:
        found += [*_memory(budget), *_cache(budget)]
    return tuple(found)


_ANY = Gpu("any", "any GPU", 1 << 20, float(1 << 20), "large enough for anything")


def _layout(budget: Budget) -> Iterator[Finding]:
    for problem in budget.problems:
        nearest = f"; nearest: {', '.join(problem.nearest)}" if problem.nearest else ""
        message = f"{problem.message} ({problem.source}){nearest}"
        yield Finding(_LAYOUT[problem.code], "error", message, _PATHS[problem.code])


def _memory(budget: Budget) -> Iterator[Finding]:
    worst, usable = budget.deciding.deciding, budget.gpu.usable
    heaviest = max(worst.terms, key=lambda t: t.size)
    where = f"{worst.name} needs {worst.size / GIB:.1f} GiB ({worst.low / GIB:.1f} to {worst.high / GIB:.1f})"
    what = f"{where} of {usable / GIB:.1f} GiB on {budget.gpu.title}; most is {heaviest.name}, {heaviest.size / GIB:.1f} GiB"
    paths = ("stage.batch.micro.tokens_per_rank", P + "rollout.gpu_memory_fraction")
    if worst.low > usable:
        yield Finding("will-not-fit", "error", what, paths)
    elif budget.headroom < LITTLE * usable:
        yield Finding("little-headroom", "warning", f"less than 5 % is left: {what}", paths)
    elif worst.high < HALF * usable:
        yield Finding("half-the-memory-unused", "info", what, paths)


def _cache(budget: Budget) -> Iterator[Finding]:
    for one in budget.starved:
        message = (
            f"{one.role}: the KV cache holds {one.requests:.2f} requests of {budget.setup.longest:,} tokens; "
            "the engine refuses to start with less than one"
        )
        yield Finding("cache-holds-no-request", "error", message, (P + "rollout.gpu_memory_fraction", P + "rollout.tp"))


def _idle(setup: Setup) -> Iterator[Finding]:
    """GPUs of the cluster that no role uses."""
    from rftconf.budget.allocation import pools

    used = sum(pool.count for pool in pools(setup))
    if used < setup.total:
        message = f"{setup.total - used} of {setup.total} GPUs hold nothing"
        yield Finding("gpus-idle", "warning", message, (P + "rollout.gpus", "cluster.nodes"))
