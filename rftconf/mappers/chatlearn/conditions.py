"""ChatLearn's keys act under these conditions, and ChatLearn's own counters follow this arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.mappers.codecs import counts
from rftconf.mappers.context import Context, When
from rftconf.mappers.rates import worth_with_rollouts
from rftconf.plan.units import Unit

NEWEST = "2025.10.23"
FSDP = When(lambda c: c.trainer != "megatron", "the Megatron trainer does not read it")
MEGATRON = When(
    lambda c: c.trainer == "megatron", "only the Megatron trainer reads it (runtime_args.train_backend: megatron)"
)
EVALUATES = When(
    lambda c: c.plan("stage.cadence.eval_rollouts") is not None,
    "nothing is evaluated while runtime_args.eval_episode_interval is 0",
)
VLLM = When(
    lambda c: c.plan("stage.placement.rollout.engine") != "sglang", "the SGLang engines do not take a seed from it"
)


def worth(context: Context, unit: Unit) -> Any:
    """Return the number of sequences (or tokens per rank) that one `unit` is worth in a ChatLearn run."""
    update, passes = "runtime_args.train_global_batch_size", "runtime_args.num_training_epoch"
    return worth_with_rollouts(context, unit, "num_inference_per_prompt", update, passes)


class _WholePrompts(counts):
    """Samples of an episode as prompts; ChatLearn asserts that they are whole prompts."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        prompts = super().get(value, context, unit)
        if isinstance(prompts, Fraction):
            n = context.plan("stage.batch.responses_per_prompt")
            raise RefusedError(
                f"runtime_args.sample_per_episode={value} is not a multiple of {n} responses per prompt",
                choices=(f"{-(-value // n) * n} samples an episode", f"{value // n * n} samples an episode"),
            )
        return prompts


WHOLE_PROMPTS = _WholePrompts(Unit.SEQUENCES)
