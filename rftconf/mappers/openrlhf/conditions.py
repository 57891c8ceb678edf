"""OpenRLHF's keys act under these conditions, and `worth` tells what one unit of its counters is worth."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import MISSING, Expr
from rftconf.mappers.context import Context, When
from rftconf.mappers.rates import worth_with_rollouts
from rftconf.plan.units import Unit

ESTIMATOR, KL = "algo.advantage.estimator", "algo.kl.init_coef"


def _trains_critic(c: Context) -> bool:
    """True where the plan has a critic and the estimator that is read, or was written, trains one."""
    estimator = c.effective(ESTIMATOR)
    return c.plan("stage.algorithm.critic.enabled") is True and (
        isinstance(estimator, Expr) or estimator in ("gae", MISSING)
    )


def penalised(c: Context) -> bool:
    """True where there is a KL penalty, for which a reference is loaded."""
    return any(c.plan(f"stage.algorithm.{term}.enabled") not in (False, None) for term in ("kl_loss", "kl_reward"))


CRITIC = When(_trains_critic, "only gae trains a critic (train_ppo_ray drops critic.model_name_or_path otherwise)")
REFERENCE = When(penalised, "no reference is loaded: algo.kl.init_coef is 0")
DISCOUNTS = When(
    lambda c: c.plan("stage.algorithm.advantage") in ("gae", "reinforce_pp", None),
    "advantages of groups are not discounted: gamma is set to 1 for them (experience_maker)",
)
CLIPPED = ("ppo", "gspo")
"""Losses that OpenRLHF has (openrlhf/models/loss.py: PolicyLoss)."""


def worth(context: Context, unit: Unit) -> Any:
    """Return the sequences (or tokens per rank) that one `unit` is worth in a run of OpenRLHF."""
    names = ("rollout.n_samples_per_prompt", "train.batch_size", "train.max_epochs")
    return worth_with_rollouts(context, unit, *names)
