"""Where a target places a run when it cannot do as the source does. The arithmetic is in plan/placement.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rftconf.errors import UsageError
from rftconf.ledger import Decision
from rftconf.plan import placement
from rftconf.plan.auxiliary import own_teacher
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.ranks import ENGINE
from rftconf.plan.splits import Rules
from rftconf.plan.symbols import formula
from rftconf.record import record

LAYOUT = "stage.placement.layout"
MEMORY = "stage.placement.rollout.gpu_memory_fraction"


@record
class Target:
    """How a framework can place a run. `memory`: its engines' usual share of a GPU, `why` in words.

    `either`: engines may also have GPUs of their own, so the source's layout stays.
    """

    shares: bool
    """True when engines and trainer take turns on the same GPUs by default."""
    memory: float
    why: str
    apart: bool = False
    """True when a framework that shares GPUs also runs with engines on GPUs of their own, in lock-step."""
    either: bool = False
    spread_since: str | None = None
    """Release since which one engine may span data-parallel ranks and pipeline stages; before it, tensor parallelism only."""
    node_of_both_since: str | None = None
    """Release since which one of several nodes may hold engines and trainer."""

    def rules(self, since: Callable[[str], bool]) -> Rules:
        """How a release splits GPUs; `since` says whether the target's release is the given one or newer."""
        spread, both = (name is None or since(name) for name in (self.spread_since, self.node_of_both_since))
        return Rules(ENGINE if spread else ("tp",), both)


def place(
    target: Target,
    values: dict[str, Any],
    origins: dict[str, Origin],
    *,
    rollout_gpus: int | None,
    may_separate: bool,
    rules: Rules = placement.ANY,
) -> list[Decision]:
    """Change `values` to a placement that the target has; returns what a person should decide about it.

    `may_separate`: the target can also run with engines on GPUs of their own, ahead of the trainer.
    """
    layout = values.get(LAYOUT)
    if target.either and rollout_gpus is None:
        return []
    teacher = own_teacher(values, origins)
    if teacher and target.shares and layout == "colocated":
        return [*teacher, *placement.colocate(values, origins)]
    return [*teacher, *_place_engines(target, values, origins, rollout_gpus, may_separate=may_separate, rules=rules)]


def _place_engines(
    target: Target,
    values: dict[str, Any],
    origins: dict[str, Origin],
    rollout_gpus: int | None,
    *,
    may_separate: bool,
    rules: Rules,
) -> list[Decision]:
    layout = values.get(LAYOUT)
    if not target.shares and layout == "colocated":
        decisions = placement.disaggregate(values, origins, rollout_gpus, rules)
        if values[LAYOUT] == "disaggregated":
            own_memory(target, values, origins)
        elif values.get(MEMORY) is not None:
            # the target's own default is for engines that have their GPU to themselves
            origins[MEMORY] = Origin(Kind.DERIVED, origins[MEMORY].keys, "engine and trainer share the one GPU")
        return decisions
    if rollout_gpus is not None:
        raise UsageError("--rollout-gpus: it splits GPUs that a source shares; this one does not, or the target does")
    if target.shares and layout == "disaggregated":
        if target.apart or (may_separate and values.get("stage.sync.run_ahead_rollouts")):
            return placement.separate(values, origins)
        decisions = placement.colocate(values, origins)
        own_memory(target, values, origins)
        return decisions
    if not target.shares and layout in ("disaggregated", "lendable"):
        return placement.keep_apart(values, origins, rules)
    return []


def own_memory(target: Target, values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """A share of a GPU means something else once engines stop, or start, sharing it with the trainer."""
    old = values.get(MEMORY)
    if old is not None and old != target.memory:
        values[MEMORY] = target.memory
        origins[MEMORY] = Origin(
            Kind.CHOSEN, origins[MEMORY].keys, f"{formula(old)} became {target.memory}: {target.why}"
        )
