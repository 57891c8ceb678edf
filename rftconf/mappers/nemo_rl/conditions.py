"""NeMo-RL's keys act under these conditions, and `worth` tells what one unit of its counters is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rftconf.mappers.context import Context, When
from rftconf.mappers.rates import sequences_per_rollout, worth_with_rollouts
from rftconf.plan.units import Unit

BACKEND, ENGINE = "stage.placement.actor.backend", "stage.placement.rollout.engine"
DTENSOR, MCORE = "policy.dtensor_cfg", "policy.megatron_cfg"
MEGATRON = When(lambda c: c.plan(BACKEND) == "megatron", f"{MCORE}.enabled is false: Megatron does not train")
SHARDED = When(lambda c: c.plan(BACKEND) != "megatron", f"{DTENSOR}.enabled is false: DTensor does not train")
IDLE = (SHARDED.otherwise, MEGATRON.otherwise)
VLLM = When(lambda c: c.plan(ENGINE) in ("vllm", None), "policy.generation.backend is not vllm")
CLIPPED = When(
    lambda c: c.plan("stage.algorithm.policy_loss.family") != "gpg",
    "loss_fn.disable_ppo_ratio is on: there is no ratio to clip",
)
WHITENS = When(
    lambda c: c.plan("stage.algorithm.advantage") in ("reinforce_pp", "reinforce_pp_baseline"),
    "only grpo.adv_estimator.name=reinforce_plus_plus takes a penalty off the rewards",
)
PENALISED = When(
    lambda c: any(c.plan(f"stage.algorithm.{term}.enabled") not in (False, None) for term in ("kl_loss", "kl_reward")),
    "loss_fn.reference_policy_kl_penalty is 0: there is no reference",
)
FILTERED = When(lambda c: c.items("stage.algorithm.filters") > 0, "grpo.use_dynamic_sampling is off")
INPUT, OUTPUT = "loss_fn.kl_input_clamp_value", "loss_fn.kl_output_clamp_value"
WEIGHTED = "0.7.0"
"""The release since which the penalty's gradient has a part for the tokens' own probability (ClippedPGLossFn.__call__)."""


def kinds_of_penalty(c: Context) -> Mapping[str, str]:
    """NeMo-RL's kinds to the plan's: with both clamps k3 is what others call its clamped form (calculate_kl)."""
    clamped = c.effective(OUTPUT) is not None
    return {"k3": "k3_clamped" if clamped else "k3", "k2": "k2", "k1": "k1"}


def worth(context: Context, unit: Unit) -> Any:
    """Return the sequences (or tokens per rank) that one `unit` is worth; a learning rate ticks once a rollout period."""
    if unit is Unit.LR_TICKS:
        return sequences_per_rollout(context)
    return worth_with_rollouts(context, unit, "grpo.num_generations_per_prompt", "policy.train_global_batch_size", "")
