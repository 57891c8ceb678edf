"""Number types: one to compute in, since the parity gate compares numbers, and one to keep each role's weights in."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.plan.model import Plan, Stage
from rftconf_runner.framework_words import OF_SCALED, SCALED
from rftconf_runner.job_reader import DTYPES
from rftconf_runner.value_text import render_plan_value

MIXES = {"float32": {"float32"}, "bfloat16": {"bfloat16", "float32"}, "float16": {"float32"}}
"""Number types to learn in, and types that weights may be kept in. 16 bits with a short exponent want a scaled loss (`of_scaling`)."""

SHORT = "float16"


def compares(stage: Stage) -> bool:
    """True where the weights that the run began with are needed."""
    return bool(stage.algorithm.kl_loss.enabled or stage.algorithm.kl_reward.enabled)


def of_scaling(plan: Plan) -> Iterator[tuple[str, str]]:
    """Refuse 16 bits with a short exponent but where the loss is scaled as veRL's Megatron trainer does."""
    place, critic = plan.stages[0].placement, plan.stages[0].algorithm.critic
    if place.actor.backend not in ("fsdp", "fsdp2") or DTYPES.get(str(place.actor.compute_dtype)) != SHORT:
        return
    if critic.enabled or plan.source.framework != OF_SCALED or not plan.extensions.get(OF_SCALED, {}).get(SCALED):
        yield (
            "stage.placement.actor.compute_dtype",
            f"is {render_plan_value(place.actor.compute_dtype)}; the runner scales a loss as veRL's Megatron does without a critic, and as no other",
        )
    elif place.actor.model_dtype is None:
        yield "stage.placement.actor.model_dtype", f"is not said, and steps of a learning rate are lost in {SHORT}"


def of_types(stage: Stage) -> Iterator[tuple[str, str]]:
    """Types that the runner would compute, keep or learn in otherwise than the plan says."""
    place, compute_dtype = stage.placement, stage.placement.actor.compute_dtype
    dtype = DTYPES.get(str(compute_dtype or "float32"), "")
    if place.actor.backend not in ("fsdp", "fsdp2"):  # refused, and so is all that follows from it
        return
    if dtype not in MIXES:
        yield (
            "placement.actor.compute_dtype",
            f"is {render_plan_value(compute_dtype)}; the runner learns in {', '.join(MIXES)}",
        )
        return
    yield from _not_in(MIXES[dtype], f"computes in {dtype}, and does not learn it in that",
                       {"actor.model_dtype": place.actor.model_dtype})  # fmt: skip
    same = f"computes everything in {dtype}"
    yield from _not_in({dtype}, same, {"rollout.dtype": place.rollout.dtype})
    if compares(stage):
        yield from _not_in({dtype}, same, {"reference.compute_dtype": place.reference.compute_dtype})
        yield from _not_in(MIXES[dtype], f"rounds its weights once, to {dtype}",
                           {"reference.model_dtype": place.reference.model_dtype})  # fmt: skip
    if stage.algorithm.critic.enabled:
        yield from _not_in({dtype}, same, {"critic.compute_dtype": place.critic.compute_dtype})
        yield from _not_in(MIXES[dtype], f"computes in {dtype}, and does not learn it in that",
                           {"critic.model_dtype": place.critic.model_dtype})  # fmt: skip
    lora = stage.model_options.lora
    if (lora.rank or lora.path) and lora.dtype not in (None, "auto") and DTYPES.get(str(lora.dtype)) != dtype:
        yield "model_options.lora.dtype", f"is {render_plan_value(lora.dtype)}; the runner keeps adapters in {dtype}"


def _not_in(executed: set[str], what: str, values: dict[str, object]) -> Iterator[tuple[str, str]]:
    for path, value in values.items():
        if value is not None and DTYPES.get(str(value)) not in executed:
            yield f"placement.{path}", f"is {render_plan_value(value)}; the runner {what}"
