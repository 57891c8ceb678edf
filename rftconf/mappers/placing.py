"""A target places a run anew when it cannot do as the source does. The arithmetic is in plan/placement.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rftconf.base.enumeration import count_of
from rftconf.base.errors import UsageError
from rftconf.base.ledger import Decision
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.plan import placement, totals
from rftconf.plan.auxiliary import own_teacher
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.ranks import ENGINE
from rftconf.plan.splits import Rules

LAYOUT = "stage.placement.layout"
AHEAD = "stage.sync.run_ahead_rollouts"
ASKED, SHARED, APART = "layout", "colocated", "separated"
"""The question which layout, and its two answers."""
MEMORY = "stage.placement.rollout.gpu_memory_fraction"


@record
class Target:
    """A framework's ways to place a run. `memory`: its engines' usual share of a GPU, `why` in words.

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
    one_back_end: str = ""
    """Why Megatron trains and scores for all roles or for none; empty where each role has a back end of its own."""

    def rules(self, since: Callable[[str], bool]) -> Rules:
        """Return a release's rules for splitting GPUs; `since` tells whether it is the given release or a newer one."""
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
    layout: str | None = None,
) -> list[Decision]:
    """Change `values` to a placement that the target has; returns what a person should decide about it.

    `may_separate`: the target can also run with engines on GPUs of their own, ahead of the trainer. `layout` is what a
    person asks for. Raises UsageError where the target, or the source's split, leaves nothing to ask for.
    """
    request, layout = layout, values.get(LAYOUT)
    if request is not None:
        return _as_asked(target, values, origins, request, may_separate=may_separate)
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
        if target.apart or (may_separate and values.get(AHEAD)):
            return placement.separate(values, origins)
        return [*_layouts(values, may_separate=may_separate), *_colocated(target, values, origins)]
    if not target.shares and layout in ("disaggregated", "lendable"):
        return placement.keep_apart(values, origins, rules)
    return []


def _colocated(target: Target, values: dict[str, Any], origins: dict[str, Origin]) -> list[Decision]:
    decisions = placement.colocate(values, origins)
    own_memory(target, values, origins)
    return decisions


def _layouts(values: dict[str, Any], *, may_separate: bool) -> list[Decision]:
    """Ask which of two layouts to take where the source has GPUs for each and this framework's programs share them."""
    rollout, trainer = (formula(values.get(f"stage.placement.{role}.gpus")) for role in ("rollout", "actor"))
    has = f"{count_of(rollout, 'GPU')} for engines and {trainer} for the trainer"
    why = "here engines and trainer take turns on the same GPUs"
    shared = f"--layout {SHARED}: take turns, in step with each other"
    separate = f"--layout {APART}: GPUs of their own, answers one period ahead of the weights they are learned by"
    either = may_separate and _whole_updates(values)
    choices = (shared, separate) if either else (shared,)
    why += ", unless you say otherwise" if either else "; this release has no other way for this run"
    return [Decision(ASKED, why, choices, SHARED, has)]


def _whole_updates(values: dict[str, Any]) -> bool:
    """True where a period is a whole number of updates, which engines that run ahead are counted by."""
    updates = totals.updates_a_period(values)
    return isinstance(updates, Expr) or (isinstance(updates, int) and updates > 0)


def _as_asked(
    target: Target, values: dict[str, Any], origins: dict[str, Origin], request: str, *, may_separate: bool
) -> list[Decision]:
    if not target.shares or values.get(LAYOUT) != "disaggregated":
        raise UsageError(
            f"--layout {request}: it chooses for a source whose engines have GPUs of their own, and a target that shares them"
        )
    if request == SHARED:
        return _colocated(target, values, origins)
    if target.either:
        return []
    if not (target.apart or may_separate):
        raise UsageError("--layout separated: this release of the target shares GPUs only")
    if not target.apart and not _whole_updates(values):
        raise UsageError("--layout separated: a period would have to be a whole number of updates")
    if not target.apart and not values.get(AHEAD):
        values[AHEAD] = 1
        origins[AHEAD] = Origin(Kind.CHOSEN, (), "engines with GPUs of their own run one period ahead here")
    return placement.separate(values, origins)


def own_memory(target: Target, values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """A share of a GPU means something else once engines stop, or start, sharing it with the trainer."""
    old = values.get(MEMORY)
    if old is not None and old != target.memory:
        values[MEMORY] = target.memory
        origins[MEMORY] = Origin(
            Kind.CHOSEN, origins[MEMORY].keys, f"{formula(old)} became {target.memory}: {target.why}"
        )
