"""ROLL's agentic pipeline normalises the rewards of trajectories by keys of its own, whatever the estimator's name says."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.roll.folds_environments import counts_steps

NORM = "reward_normalization."
GROUPING, METHOD = NORM + "grouping", NORM + "method"
TYPES = (NORM + "norm_mean_type", NORM + "norm_std_type")
KEYS = (GROUPING, METHOD, *TYPES)
GROUP = "traj_group_id"
"""The trajectories of one group of environments: the answers to one prompt elsewhere."""
METHODS = {"mean": (True, False), "mean_std": (True, True), "asym_clip": (True, True)}
"""Each takes off and divides by these (agentic_config: _resolve_reward_norm_defaults); any other is identity."""
PLAIN = ("reinforce", "grpo")
"""Estimators that agentic_compute_advantage computes alike: the return of rewards that were normalised before."""
OF_WORLDS = ("gigpo", "step_reinforce", "agentic_reinforce")
"""Estimators of steps and turns: pipeline/agentic/utils.py alone computes them, functionals.compute_advantage does not."""
NORMALISED = "reinforce_mean_"
SPELLED = {
    ("group", "group"): (GROUP, "mean_std", None),
    ("group", None): (GROUP, "mean", None),
    ("group", "batch"): (GROUP, "mean_std", "batch"),
    ("batch", "batch"): ("batch", "mean_std", None),
    (None, None): ("batch", "identity", None),
}
"""Mean and deviation to grouping, method and norm_std_type."""


def norms(r: ReadContext) -> tuple[Any, Any]:
    """Name the set that the mean and the deviation of rewards are taken over: `group`, `batch`, another grouping's name, or nothing."""
    values = [r.native(key) for key in KEYS]
    unknown = next((value for value in values if isinstance(value, Expr)), None)
    if unknown is not None:
        return unknown, unknown
    grouping, method, *types = values
    if method == "asym_clip" and not r.since("0.1.3"):
        return f"{grouping}_cut_off", f"{grouping}_cut_off"  # to -1 and 3; newer releases do not cut
    usual = "batch" if grouping == "batch" else "group"
    named = [
        scope or (usual if used else None)
        for scope, used in zip(types, METHODS.get(str(method), (False, False)), strict=True)
    ]
    own = {"batch": "batch", GROUP: "group"}.get(str(grouping), grouping)
    mean, deviation = (own if scope == "group" else scope for scope in named)
    return mean, deviation


def formula(scopes: tuple[Any, Any]) -> Any:
    """The plan's name of an estimator that no other framework has: reinforce on rewards that are normalised so."""
    unknown = next((scope for scope in scopes if isinstance(scope, Expr)), None)
    return f"{NORMALISED}{scopes[0] or 'none'}_std_{scopes[1] or 'none'}" if unknown is None else unknown


def estimator(name: Any) -> Any:
    """Return the agentic pipeline's name of a plan's estimator; what `formula` named stands in reward_normalization."""
    plain = isinstance(name, str) and (name.startswith(NORMALISED) or name in ("grpo_mean_only", "reinforce_pp"))
    return "reinforce" if plain else name


def say_steps(r: ReadContext) -> str:
    """Record that a group's statistics are taken over steps where each step of an episode is a sample; nothing else says it."""
    return (
        "rewards are normalised over the steps of a group's episodes, not over its answers" if counts_steps(r) else ""
    )


def write_norms(w: WriteContext, scopes: tuple[Any, Any], *plans: str) -> None:
    """The keys of the agentic pipeline that normalise rewards so."""
    grouping, method, deviation = SPELLED[scopes]
    for key, value in ((GROUPING, grouping), (METHOD, method), (TYPES[1], deviation)):
        w.put(key, value, *plans)
