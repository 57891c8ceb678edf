"""Names of losses and estimators in the plan: one name is one formula, whoever calls it so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LOSSES = frozenset(
    {
        *("ppo", "gspo", "cispo", "sapo", "sapo_detached", "geo_mean", "clip_cov", "kl_cov", "gpg", "dppo_tv", "dppo_kl", "dro"),
        *("tis", "topr_by_reward", "kimi15"),
    }
)  # fmt: skip
"""Policy losses that some table writes."""
ESTIMATORS = frozenset(
    {
        *("gae", "grpo", "grpo_mean_only", "reinforce", "reinforce_pp", "reinforce_pp_baseline", "rloo", "remax", "opo"),
        *("grpo_passk", "gpg", "gdpo", "optimal_token_baseline", "tir_optimal_token_baseline", "asymre"),
    }
)  # fmt: skip
"""Estimators of advantages that some table writes."""
OTHERS = {
    "sapo": "sapo whose gradient goes through the gate",
    "sapo_detached": "sapo whose gate is a weight without gradient (on the policy itself 2 / tau times the gradient of the other)",
    "topr_by_reward": "topr that tells good answers from bad ones by their reward",
    "topr": "topr that tells good answers from bad ones by their advantage",
}
"""The plan's names that need a description, because two frameworks give two formulas the same name."""
OWN = "own_"


def plan_name(native: Any, names: Mapping[str, str], shared: frozenset[str]) -> Any:
    """Return the plan's name of a framework's loss or estimator.

    A fork or a plugin registers names that the framework lacks. Such a name gets `own_` in front where it is spelled like
    a shared one, because nobody knows whether it means the same.
    """
    if not isinstance(native, str):
        return native
    return names.get(native) or (f"{OWN}{native}" if native in shared else native)


def native_name(plan: Any, names: Mapping[str, str]) -> Any:
    """Return the framework's name of a plan's; `names` lead from the framework's names to the plan's."""
    back = {name: native for native, name in names.items()}
    return back.get(plan, plan.removeprefix(OWN)) if isinstance(plan, str) else plan


def described(family: Any) -> str:
    """Return the words that stand for a loss or an estimator in a sentence."""
    return OTHERS.get(str(family), str(family))
