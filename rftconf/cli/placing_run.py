"""What a run would place where, before it starts: processes from the plan, memory from its account."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rftconf.plan.symbols import formula
from rftconf.report.screen import joined

if TYPE_CHECKING:
    from rftconf.load import Loaded
    from rftconf.report.screen import Screen


ENGINES_SHOWN = 4
"""Engines whose bundles are named."""


def placed_text(loaded: Loaded, gpu: str | None, screen: Screen) -> str:
    """Each stage's processes, and with `gpu` whether they fit there."""
    lines = [line for stage in loaded.plan.stages for line in _placed(loaded.plan.cluster, stage)]
    return joined([screen.style("what would be placed where", "bold"), *lines]) + (
        _account(loaded, gpu, screen) if gpu else ""
    )


def _nodes(cluster: Any, stage: Any) -> Iterator[str]:
    """How many GPUs there are, and how many processes share one; without a GPU each is a CPU."""
    place = stage.placement
    ranks, engines = place.actor.gpus, place.rollout.gpus
    if isinstance(cluster.nodes, int) and isinstance(cluster.gpus_per_node, int):
        yield f"  {cluster.nodes} nodes of {cluster.gpus_per_node} GPUs; on a machine without one, as many CPUs"
    if isinstance(ranks, int) and isinstance(engines, int):
        together = place.layout in ("colocated", None)
        apart = [one.gpus or 1 for one in place.auxiliary if one.own_pool in (True, None)]
        wanted = (max(ranks, engines) if together else ranks + engines) + sum(n for n in apart if isinstance(n, int))
        kinds = ["a trainer rank", *(["a critic rank"] if stage.algorithm.critic.enabled else [])]
        kinds += ["an engine's rank" if _is_divided(place) else "an engine"] if together else []
        yield f"  {wanted} of them in {'placement groups' if _is_divided(place) else 'a placement group'}; " + (
            f"{', '.join(kinds[:-1])} and {kinds[-1]} share one" if kinds[1:] else "a process each"
        )
        if _is_divided(place):
            yield from _bundles(0 if together else ranks, wanted, engines, place.rollout.tp)


def _is_divided(place: Any) -> bool:
    return isinstance(place.rollout.tp, int) and place.rollout.tp > 1


def _bundles(first: int, wanted: int, gpus: int, tp: int) -> Iterator[str]:
    """Which bundles an engine's ranks have, a group on one node; all others are another group."""
    groups = [_span(first + at, tp) for at in range(0, gpus - tp + 1, tp)]
    shown = [f"engine {at} has {group}" for at, group in enumerate(groups[:ENGINES_SHOWN])]
    yield f"  bundles: {', '.join(shown)}{' and so on' if groups[ENGINES_SHOWN:] else ''}, each on one node"
    others = wanted - len(groups) * tp
    if others > 0:
        yield f"  {others} further bundles for trainer ranks alone"


def _span(first: int, count: int) -> str:
    return f"{first} to {first + count - 1}"


def _placed(cluster: Any, stage: Any) -> Iterator[str]:
    place, sync = stage.placement, stage.sync
    layout = f" ({place.layout})" if place.layout else ""
    yield from _nodes(cluster, stage)
    trained = f"{_said(stage.model.path)} in {_said(place.actor.compute_dtype, 'float32')}"
    yield f"  {_said(place.actor.gpus)} trainer ranks{layout}: FSDP2 of {trained}"
    if stage.algorithm.kl_reward.enabled or stage.algorithm.kl_loss.enabled:
        yield "  the same ranks: the reference, its first weights"
    if stage.algorithm.critic.enabled:
        yield f"  {_said(place.actor.gpus)} critic ranks: FSDP2 of {_said(stage.model.critic_path)}"
    tokens = f"{_said(stage.length.prompt_max_tokens)} + {_said(stage.length.response_max_tokens)} tokens"
    yield f"  {_engines(place.rollout)}: {_said(place.rollout.engine, 'vllm')}, {tokens} a sequence"
    if stage.reward.function_path or not place.auxiliary:
        yield f"  1 reward process: {_said(stage.reward.function_name)} of {_said(stage.reward.function_path)}"
    for one in place.auxiliary:
        where = "places of their own" if one.own_pool in (True, None) else "the engines' places"
        whose = "all answers" if one.domain is None else f"answers of {_said(one.domain)}"
        yield f"  {_said(one.gpus, '1')} of {_said(one.path)} on {where}: {_said(one.role, 'helper')}, {whose}"
    yield f"  {_said(sync.run_ahead_rollouts, '0')} periods ahead, weights every {_said(sync.every_rollouts, '1')}"


def _engines(rollout: Any) -> str:
    gpus, tp = rollout.gpus, rollout.tp
    if tp in (1, None):
        return f"{_said(gpus)} engines"
    known = isinstance(gpus, int) and isinstance(tp, int) and tp > 0
    return f"{gpus // tp} engines of {tp} GPUs each" if known else f"{_said(gpus)} GPUs, {_said(tp)} to an engine"


def _said(value: Any, otherwise: str = "?") -> str:
    return otherwise if value is None else formula(value) if not isinstance(value, str) else value


def _account(loaded: Loaded, gpu: str, screen: Screen) -> str:
    from rftconf.budget.gpus import gpu_named
    from rftconf.budget.price import price
    from rftconf.budget.setup import Asked, setup_of
    from rftconf.budget.view import plan_view
    from rftconf.report.budget import budget_text

    plan = plan_view((s.values for s in loaded.stages), loaded.framework, loaded.release, loaded.extensions)
    return budget_text(price(setup_of(plan, Asked()), gpu_named(gpu)), screen)
