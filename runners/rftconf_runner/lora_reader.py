"""A reader of the LoRA adapters that a plan trains."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.plan.model import Stage
from rftconf_runner.job import Lora
from rftconf_runner.stage_reader import StageReader

FUSED = {"linear_qkv", "linear_fc1"}
"""Megatron's names of layers that are several of transformers', which share one adapter there."""


def of_lora(stage: Stage) -> Iterator[tuple[str, str]]:
    """Refuse adapters to layers that only Megatron has."""
    lora = stage.model_options.lora
    targets = lora.targets if isinstance(lora.targets, list) else []
    fused = [name for name in targets if name in FUSED]
    if fused and lora.rank:
        why = "several of transformers' layers, which share an adapter in Megatron; the runner fits one to each"
        yield "model_options.lora.targets", f"has {', '.join(fused)}: {why}"


def lora_of(read: StageReader) -> Lora | None:
    """The plan's own adapters, or one that is there; None where all weights are learned."""
    prefix = "model_options.lora."
    rank, path = read.whole(prefix + "rank", 0), read.value(prefix + "path", "")
    if not rank and not path:
        return None
    seed = read.whole("placement.actor.seed", 0)
    if not rank:  # an adapter that is there says the rest itself
        return Lora(0, 0, "", "", path, seed)
    names = [read.value(prefix + "targets"), read.value(prefix + "excluded", "")]
    targets, excluded = [name if isinstance(name, str) else tuple(name or ()) for name in names]
    return Lora(rank, read.whole(prefix + "alpha"), targets, excluded, path, seed)
