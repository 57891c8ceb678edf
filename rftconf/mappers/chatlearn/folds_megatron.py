"""This module maps Megatron's own options for which ChatLearn has keys: recomputation, and the layers of a pipeline's stages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rftconf.base.ledger import State
from rftconf.mappers.chatlearn.pipeline_split import write_split
from rftconf.mappers.context import ReadContext, WriteContext

NAMES = {
    "recompute_granularity": "recompute_granularity", "recompute_method": "recompute_method",
    "recompute_num_layers": "recompute_num_layers", "recompute_modules": "recompute_modules",
    "decoder_first_pipeline_num_layers": "num_layers_in_first_pipeline_stage",
    "decoder_last_pipeline_num_layers": "num_layers_in_last_pipeline_stage",
    "pipeline_model_parallel_layout": "pipeline_model_parallel_layout",
    "megatron_model_cfg.apply_rope_fusion": "apply_rope_fusion",
}  # fmt: skip
"""ChatLearn's keys under models.policy_trainer, and their names in Megatron's TransformerConfig."""
KERNELS = (("attention_backend", "auto"), ("attention_backend", "flash"))
"""Values that Megatron chooses by itself in ChatLearn."""
STAGES = ("decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers", "pipeline_model_parallel_layout")
"""Keys that trainer and reference have each for themselves: the layers of a pipeline's stages."""
OVERRIDES = "stage.placement.actor.megatron.transformer_overrides"
REFERENCE_OVERRIDES = "stage.placement.reference.megatron.transformer_overrides"


def read_overrides(r: ReadContext) -> None:
    """Read ChatLearn's keys into overrides of Megatron's TransformerConfig, for trainer and reference."""
    keys = tuple(f"models.policy_trainer.{name}" for name in NAMES)
    stages = tuple(f"models.ref_policy.{name}" for name in STAGES)
    if r.trainer != "megatron":
        r.inactive.update(dict.fromkeys((*keys, *stages), "only the Megatron trainer reads it"))
        return
    values = {NAMES[name]: r.native(key) for name, key in zip(NAMES, keys, strict=True)}
    # a default is ChatLearn's own, which no other framework overrides Megatron with
    names = {NAMES[name] for name, key in zip(NAMES, keys, strict=True) if r.written(key)}
    overrides = {name: value for name, value in values.items() if value is not None and name in names}
    r.set(OVERRIDES, overrides or None, *keys)
    own = {NAMES[name]: r.native(key) for name, key in zip(STAGES, stages, strict=True)}
    r.set(REFERENCE_OVERRIDES, {name: value for name, value in own.items() if value is not None} or None, *stages)


def write_overrides(w: WriteContext) -> None:
    """Write the overrides that have a key, and account for the others."""
    if w.trainer != "megatron":
        return
    trained, own = w.plan(OVERRIDES), w.plan(REFERENCE_OVERRIDES)
    if isinstance(trained, dict):
        _write_known(w, trained, "models.policy_trainer", NAMES, OVERRIDES)
    # a reference of which nothing is said has its layers where the trainer has them
    of_reference, path = (own, REFERENCE_OVERRIDES) if isinstance(own, dict) else (trained, OVERRIDES)
    if isinstance(of_reference, dict):
        for name in STAGES:
            value, trained_so = of_reference.get(NAMES[name]), _end(trained, name)
            if value is not None or trained_so is not None:
                w.put(f"models.ref_policy.{name}", value, path, always=True, entry=NAMES[name])
        # the trainer's account of its switches stands already
        role = "" if path == REFERENCE_OVERRIDES else REFERENCE_OVERRIDES.rpartition(".")[0]
        split = write_split(w, of_reference, "models.ref_policy", path, role)
        if isinstance(own, dict):
            _account_lost(w, own, {NAMES[name] for name in STAGES} | split, REFERENCE_OVERRIDES)


def _end(overrides: Any, name: str) -> Any:
    return overrides.get(NAMES[name]) if isinstance(overrides, dict) else None


def _write_known(
    w: WriteContext, overrides: Mapping[str, Any], native: str, names: Mapping[str, str], path: str
) -> None:
    """Write each override that has a key under `native`, and account for the others."""
    back = {theirs: ours for ours, theirs in names.items()}
    for name, value in _acting(overrides).items():
        if name in back:
            w.put(f"{native}.{back[name]}", value, path, always=True, entry=name)
    _account_lost(w, overrides, set(back) | write_split(w, overrides, native, path), path)


def _acting(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out options of recomputation where its granularity is not set, without which they do nothing."""
    options = {name: value for name, value in overrides.items() if value is not None}
    if "recompute_granularity" in options:
        return options
    return {name: value for name, value in options.items() if not str(name).startswith("recompute_")}


def _account_lost(w: WriteContext, overrides: Mapping[str, Any], known: set[str], path: str) -> None:
    """Account for overrides without a key. A reference has no gradients, so it recomputes nothing."""
    options = _acting(overrides)
    if path == REFERENCE_OVERRIDES:
        options = {name: value for name, value in options.items() if not str(name).startswith("recompute_")}
    lost = [name for name in options if name not in known and (name, options[name]) not in KERNELS]
    for name in lost:
        w.lose(path, State.NARROWED, f"no key for {name} of Megatron's config", entry=name)
    for name in options:
        if (name, options[name]) in KERNELS:
            w.lose(path, State.DEFAULT, "what Megatron chooses by itself", entry=name)
    if not lost and not set(options) & known:
        w.lose(path, State.DEFAULT, "nothing is recomputed")
