"""TRL's keys act under these conditions, and `worth` tells what one unit of its counters is worth."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.context import Context, When
from rftconf.mappers.rates import known_plan_value, worth_with_rollouts
from rftconf.plan.units import Unit

FAMILY = "stage.algorithm.policy_loss.family"
CLIPPED = ("ppo", "gspo")
"""Losses of the clipped ratio: `loss_type` grpo, bnpo, dr_grpo, dapo and luspo."""

COLOCATED = When(
    lambda c: c.effective("use_vllm") is True and c.effective("vllm_mode") == "colocate",
    "only an engine in the trainer's own processes reads it (use_vllm, vllm_mode: colocate)",
)
SOFT = When(lambda c: c.plan(FAMILY) == "sapo", "only loss_type: sapo reads it")
CAPPED = When(lambda c: c.plan(FAMILY) in (*CLIPPED, None), "only the clipped losses cap the ratio a second time")
LOGS_AT_A_LEVEL = When(lambda c: c.effective("log_level") != "passive", "passive leaves the level as it is")


def worth(context: Context, unit: Unit) -> Any:
    """Return the completions (or tokens per rank) that one `unit` is worth in a TRL run."""
    if unit is Unit.TOKENS_PER_GPU:
        return 1
    if unit is Unit.SEQUENCES_PER_RANK:
        return known_plan_value(context, "stage.placement.actor.gpus", "the processes that train")
    return worth_with_rollouts(context, unit, "num_generations", "the completions of an update", "num_iterations")
