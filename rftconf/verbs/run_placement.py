"""The placement of a run before it starts: processes from the plan, memory from its account."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rftconf.base.symbols import formula
from rftconf.report.screen import joined

if TYPE_CHECKING:
    from rftconf.plan.model import Plan
    from rftconf.report.screen import Screen


ENGINES_SHOWN = 4
"""Engines whose bundles are named."""


def placed_text(plan: Plan, gpu: str | None, screen: Screen) -> str:
    """Each stage's processes, and with `gpu` whether they fit there."""
    lines = [line for stage in plan.stages for line in _placement_lines(plan.cluster, stage)]
    return joined([screen.style("what would be placed where", "bold"), *lines]) + (
        _account(plan, gpu, screen) if gpu else ""
    )


def _nodes(cluster: Any, stage: Any) -> Iterator[str]:
    """List lines on the number of GPUs and the processes that share one; without a GPU each is a CPU."""
    place = stage.placement
    ranks, engines = place.actor.gpus, place.rollout.gpus
    if isinstance(cluster.nodes, int) and isinstance(cluster.gpus_per_node, int):
        nodes, gpus = _count(cluster.nodes, "node"), _count(cluster.gpus_per_node, "GPU")
        yield f"  {nodes} of {gpus}; on a machine without one, as many CPUs"
    if isinstance(ranks, int) and isinstance(engines, int):
        together = place.layout in ("colocated", None)
        own_gpus = [extra.gpus or 1 for extra in place.auxiliary if extra.own_pool in (True, None)]
        total = (max(ranks, engines) if together else ranks + engines) + sum(n for n in own_gpus if isinstance(n, int))
        kinds = ["a trainer rank", *(["a critic rank"] if stage.algorithm.critic.enabled else [])]
        kinds += ["an engine's rank" if _is_divided(place) else "an engine"] if together else []
        yield f"  {total} of them in {'placement groups' if _is_divided(place) else 'a placement group'}; " + (
            f"{', '.join(kinds[:-1])} and {kinds[-1]} share one" if kinds[1:] else "a process each"
        )
        if _is_divided(place):
            yield from _bundles(0 if together else ranks, total, engines, place.rollout.tp)


def _is_divided(place: Any) -> bool:
    return isinstance(place.rollout.tp, int) and place.rollout.tp > 1


def _bundles(first: int, total: int, gpus: int, tp: int) -> Iterator[str]:
    """List lines on the bundles of engines' ranks, a group on one node for each; all others are another group."""
    groups = [_span(first + index, tp) for index in range(0, gpus - tp + 1, tp)]
    engine_lines = [f"engine {index} has {group}" for index, group in enumerate(groups[:ENGINES_SHOWN])]
    yield f"  bundles: {', '.join(engine_lines)}{' and so on' if groups[ENGINES_SHOWN:] else ''}, each on one node"
    others = total - len(groups) * tp
    if others > 0:
        yield f"  {others} further bundles for trainer ranks alone"


def _span(first: int, count: int) -> str:
    return f"{first} to {first + count - 1}"


def _placement_lines(cluster: Any, stage: Any) -> Iterator[str]:
    place, sync = stage.placement, stage.sync
    layout = f" ({place.layout})" if place.layout else ""
    yield from _nodes(cluster, stage)
    trained = f"{_value_text(stage.model.path)} in {_value_text(place.actor.compute_dtype, 'float32')}"
    yield f"  {_value_text(place.actor.gpus)} trainer ranks{layout}: FSDP2 of {trained}"
    if stage.algorithm.kl_reward.enabled or stage.algorithm.kl_loss.enabled:
        yield "  the same ranks: the reference, its first weights"
    if stage.algorithm.critic.enabled:
        yield f"  {_value_text(place.actor.gpus)} critic ranks: FSDP2 of {_value_text(stage.model.critic_path)}"
    tokens = f"{_value_text(stage.length.prompt_max_tokens)} + {_value_text(stage.length.response_max_tokens)} tokens"
    yield f"  {_engines(place.rollout)}: {_value_text(place.rollout.engine, 'vllm')}, {tokens} a sequence"
    if not stage.reward.function_path and not place.auxiliary:
        yield "  1 reward process: a rule for each row, as the framework itself has it"
    elif stage.reward.function_path:
        yield f"  1 reward process: {_value_text(stage.reward.function_name)} of {_value_text(stage.reward.function_path)}"
    for extra in place.auxiliary:
        where = "places of their own" if extra.own_pool in (True, None) else "the engines' places"
        whose = "all answers" if extra.domain is None else f"answers of {_value_text(extra.domain)}"
        yield f"  {_value_text(extra.gpus, '1')} of {_value_text(extra.path)} on {where}: {_value_text(extra.role, 'helper')}, {whose}"
    yield f"  {_lag(sync.run_ahead_rollouts)}; engines get new weights {_often(sync.every_rollouts)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _lag(periods: Any) -> str:
    if not periods:
        return "answers are drawn after the updates of the period before"
    return f"answers are drawn up to {_value_text(periods)} rollout periods ahead of the updates"


def _often(periods: Any) -> str:
    return "every rollout period" if periods in (1, None) else f"every {_value_text(periods)} rollout periods"


def _engines(rollout: Any) -> str:
    gpus, tp = rollout.gpus, rollout.tp
    if tp in (1, None):
        return f"{_value_text(gpus)} engines"
    known = isinstance(gpus, int) and isinstance(tp, int) and tp > 0
    return (
        f"{gpus // tp} engines of {tp} GPUs each"
        if known
        else f"{_value_text(gpus)} GPUs, {_value_text(tp)} to an engine"
    )


def _value_text(value: Any, otherwise: str = "?") -> str:
    return otherwise if value is None else formula(value) if not isinstance(value, str) else value


def _account(plan: Plan, gpu: str, screen: Screen) -> str:
    from rftconf.budget.as_text import budget_text
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.budget.facts.implementations import RUNNER
    from rftconf.budget.price import price
    from rftconf.budget.roles.setup import BudgetRequest, setup_of

    return budget_text(price(setup_of(plan, BudgetRequest(trainer=RUNNER.name)), gpu_named(gpu)), screen)
