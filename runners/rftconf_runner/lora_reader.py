"""A reader of the LoRA adapters that a plan trains."""

from __future__ import annotations

from rftconf_runner.job import Lora
from rftconf_runner.stage_reader import StageReader


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
