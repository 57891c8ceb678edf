"""What follows from a plan's other values, whatever the framework. Fills what is missing, never overwrites."""

from __future__ import annotations

from typing import Any

from rftconf.plan.origin import Kind, Origin
from rftconf.plan.symbols import Expr, arith

LENGTHS = ("prompt_max_tokens", "response_max_tokens")


def derive(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """The missing one of prompt and answer length, from the whole; half each where both are missing."""
    whole = values.get("stage.length.model_max_tokens")
    known = {name: values.get(f"stage.length.{name}") for name in LENGTHS}
    missing = [name for name, value in known.items() if value is None]
    if len(missing) == 2 and isinstance(whole, int):
        keys = origins["stage.length.model_max_tokens"].keys
        for name, value in zip(LENGTHS, (whole // 2, whole - whole // 2), strict=True):
            values[f"stage.length.{name}"] = value
            origins[f"stage.length.{name}"] = Origin(Kind.DERIVED, keys, "half of the context")
        return
    if whole is None or len(missing) != 1:
        return
    other = next(name for name in LENGTHS if name not in missing)
    path = f"stage.length.{missing[0]}"
    rest = whole - known[other]
    if isinstance(rest, Expr) or rest > 0:
        values[path] = rest
        keys = (*origins[f"stage.length.{other}"].keys, *origins["stage.length.model_max_tokens"].keys)
        origins[path] = Origin(Kind.DERIVED, keys, "context - the other length")


def floor_as_ratio(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """The lowest learning rate as a share of the highest, where the source gives it as a number."""
    at = "stage.optim.actor."
    floor, top = values.get(at + "min_lr"), values.get(at + "lr")
    if values.get(at + "min_lr_ratio") is None and floor is not None and top not in (None, 0):
        values[at + "min_lr_ratio"] = floor if floor == 0 else arith("/", floor, top)
        origins[at + "min_lr_ratio"] = Origin(Kind.DERIVED, origins[at + "min_lr"].keys, "min_lr / lr")
    share, megatron = values.get(at + "min_lr_ratio"), values.get("stage.placement.actor.backend") == "megatron"
    if megatron and floor is None and share is not None and top is not None:
        values[at + "min_lr"] = share * top
        origins[at + "min_lr"] = Origin(Kind.DERIVED, origins[at + "min_lr_ratio"].keys, "min_lr_ratio x lr")


MICRO = ("log_prob", "reference", "critic", "critic_infer")


def fill_micro_batches(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """Fixed micro-batches that a target wants for every role, where the source gives only the actor's."""
    actor = "stage.batch.micro.sequences_per_rank"
    if values.get("stage.batch.micro.dynamic") is not False or values.get(actor) is None:
        return
    for role in MICRO:
        path = f"stage.batch.{role}.sequences_per_rank"
        critic = role.startswith("critic") and values.get("stage.algorithm.critic.enabled") is not True
        if values.get(path) is None and not critic:
            values[path] = values[actor]
            origins[path] = Origin(Kind.DERIVED, origins[actor].keys, "as the actor's")
