"""veRL's `override_config`: what is merged into the model's config.json, and what Megatron's workers keep beside it."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.codecs import Codec, Put
from rftconf.mappers.context import ReadContext, ValueContext, WriteContext
from rftconf.plan.units import Unit

BLOCK = "actor_rollout_ref.model.override_config"
MODEL = "model_config"
"""The part that is merged where the block has it (HFModelConfig); Megatron's workers up to 0.5 read no other."""
FROZEN = f"{BLOCK}.moe_config.freeze_moe_router"


class _Overrides(Codec[dict[str, Any], dict[str, Any]]):
    """The values that change config.json, by name; None where there are none."""

    def get(self, value: Any, context: ValueContext, unit: Unit | None) -> Any:
        merged = value[MODEL] if isinstance(value, dict) and MODEL in value else value
        return merged or None

    def put(self, value: Any, context: ValueContext, unit: Unit | None) -> Put:
        return Put({MODEL: value} if value and _wants_part(context) else value or {})


def _wants_part(context: Any) -> bool:
    writing: WriteContext = context
    return writing.backend == "megatron" and not writing.since("0.6.1")


OVERRIDES = _Overrides()


def read_frozen_router(r: ReadContext) -> None:
    """Record that the router of the experts is not trained: no plan holds that."""
    if r.trainer.endswith("megatron") and r.native(FROZEN) is True:
        r.narrowed[FROZEN] = "the router of the experts stays as it was; elsewhere it is trained with the rest"
