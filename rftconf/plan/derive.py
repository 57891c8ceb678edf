"""Values that follow from a plan's other values, whatever the framework, fill what is missing and never overwrite."""

from __future__ import annotations

from collections.abc import Container, Mapping
from fractions import Fraction
from math import prod
from typing import Any

from rftconf.base.symbols import Expr, OpenKey, arith
from rftconf.plan.origin import Kind, Origin

LENGTHS = ("prompt_max_tokens", "response_max_tokens")
HALVED = "half of the context"
"""Where prompt and answer have only their sum as a limit: no value that the source tells."""
BACKENDS = tuple(f"stage.placement.{role}.backend" for role in ("reference", "critic"))
SIZES = ("tp", "pp", "vpp", "cp", "ep", "etp", "sequence_parallel")
"""Megatron's process groups, which it makes once a process."""


def derive(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """The missing one of prompt and answer length, from the whole; half each where both are missing.

    A length that alone fills the whole is cut to it, less a token for the other.
    """
    whole = values.get("stage.length.model_max_tokens")
    known = {name: values.get(f"stage.length.{name}") for name in LENGTHS}
    missing = [name for name, value in known.items() if value is None]
    if len(missing) == 2 and isinstance(whole, int):
        keys = origins["stage.length.model_max_tokens"].keys
        for name, value in zip(LENGTHS, (whole // 2, whole - whole // 2), strict=True):
            values[f"stage.length.{name}"] = value
            origins[f"stage.length.{name}"] = Origin(Kind.CHOSEN, keys, HALVED)
        return
    if whole is None or len(missing) != 1:
        return
    known_name = next(name for name in LENGTHS if name not in missing)
    path = f"stage.length.{missing[0]}"
    remaining = whole - known[known_name]
    keys = (*origins[f"stage.length.{known_name}"].keys, *origins["stage.length.model_max_tokens"].keys)
    if isinstance(remaining, Expr) or remaining > 0:
        values[path] = remaining
        origins[path] = Origin(Kind.DERIVED, keys, "context - the other length")
    elif whole > 1:  # who asks for all of the context gets it less one token
        values[path], values[f"stage.length.{known_name}"] = 1, whole - 1
        origins[path] = Origin(Kind.DERIVED, keys, "what the other length leaves of the context")
        origins[f"stage.length.{known_name}"] = Origin(Kind.DERIVED, keys, "cut to the context, less one token")


def floor_as_ratio(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """The lowest learning rate as a share of the highest, where the source gives it as a number."""
    path = "stage.optim.actor."
    floor, top = values.get(path + "min_lr"), values.get(path + "lr")
    if values.get(path + "min_lr_ratio") is None and floor is not None and top not in (None, 0):
        values[path + "min_lr_ratio"] = floor if floor == 0 else arith("/", floor, top)
        origins[path + "min_lr_ratio"] = Origin(Kind.DERIVED, origins[path + "min_lr"].keys, "min_lr / lr")
    share, megatron = values.get(path + "min_lr_ratio"), values.get("stage.placement.actor.backend") == "megatron"
    if megatron and floor is None and share is not None and top is not None:
        values[path + "min_lr"] = share * top
        origins[path + "min_lr"] = Origin(Kind.DERIVED, origins[path + "min_lr_ratio"].keys, "min_lr_ratio x lr")


def one_back_end(values: dict[str, Any], origins: dict[str, Origin], why: str) -> None:
    """Let reference and critic run on Megatron where the actor does, and only there; the mathematics is the same.

    What comes to Megatron takes the actor's sizes, and what leaves it the type that the actor computes in.
    """
    actor = values.get("stage.placement.actor.backend")
    for path in BACKENDS:
        own = values.get(path)
        if not isinstance(actor, str) or not isinstance(own, str) or own == actor or "megatron" not in (own, actor):
            continue
        values[path] = actor
        origins[path] = Origin(
            Kind.CHOSEN, origins[path].keys if path in origins else (), f"{own} became {actor}: {why}"
        )
        for name in [f"megatron.{size}" for size in SIZES] if actor == "megatron" else ["compute_dtype"]:
            source, copy = f"stage.placement.actor.{name}", path.replace("backend", name)
            if values.get(source) is not None and values.get(copy) is None:
                values[copy] = values[source]
                origins[copy] = Origin(Kind.DERIVED, origins[source].keys, "as the actor's")


def update_within_period(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """An update of no more sequences than a period has, where the source fills a smaller period up with copies."""
    path = "stage.batch."
    key = path + "sequences_per_update"
    prompts, n, update = (
        values.get(path + "prompts_per_rollout"),
        values.get(path + "responses_per_prompt"),
        values.get(key),
    )
    if not (isinstance(prompts, int) and isinstance(n, int) and isinstance(update, int)):
        return
    if values.get(path + "uneven_tail") == "copy" and prompts * n < update:
        values[key] = prompts * n
        how = f"a period has {prompts * n} sequences, of the {update} that an update would take"
        origins[key] = Origin(Kind.DERIVED, origins[key].keys, how)


QUANTITIES = ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update")


def leave_quantities_open(values: dict[str, Any], origins: Mapping[str, Origin], unusable: Container[str]) -> None:
    """Leave amounts to learn from open where the source does not tell them: no target's own default is taken for them.

    `unusable`: keys whose values could not be used, which are asked for first.
    """
    for name in QUANTITIES if values.get("stage.kind") == "rl" else ():
        path = f"stage.batch.{name}"
        if values.get(path) is None:
            keys = sorted(origins[path].keys, key=lambda key: key not in unusable) if path in origins else ()
            values[path] = OpenKey(keys[0] if keys else name)


SCORING = ("log_prob", "reference")
MICRO = ("log_prob", "reference", "critic", "critic_infer")


def fill_micro_batches(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """Fixed micro-batches that a target wants for every role, where the source says only the actor's.

    A role's own default is tuning of the source that no target is told.
    """
    actor = "stage.batch.micro.sequences_per_rank"
    if values.get("stage.batch.micro.dynamic") is not False or values.get(actor) is None:
        return
    for role in MICRO:
        path = f"stage.batch.{role}.sequences_per_rank"
        critic = role.startswith("critic") and values.get("stage.algorithm.critic.enabled") is not True
        own_default = role in SCORING and path in origins and origins[path].kind is Kind.DEFAULT
        if (values.get(path) is None or own_default) and not critic:
            values[path] = values[actor]
            origins[path] = Origin(Kind.DERIVED, origins[actor].keys, "as the actor's")


TRAINED = tuple(f"stage.batch.{role}.sequences_per_rank" for role in ("micro", "critic"))
"""Fixed micro-batches that must cut a rank's share of an update into whole parts."""


def whole_micro_batches(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """Fixed micro-batches that fit the target's ranks: the largest size, up to the source's, that divides their share.

    While the ranks are not known, the size divides the update: whatever does not would divide no rank's share either.
    """
    share, whose = _share_of_a_rank(values), "a rank"
    if share is None and not isinstance(values.get("stage.placement.actor.gpus"), int):
        update = values.get("stage.batch.sequences_per_update")
        share, whose = (update if isinstance(update, int) else None), "an update"
    for path in TRAINED:
        size = values.get(path)
        if values.get(path.replace("sequences_per_rank", "dynamic")) is not False or not isinstance(
            size, (int, Fraction)
        ):
            continue
        if share is None or size < 1 or (isinstance(size, int) and share % size == 0):
            continue
        values[path] = next(part for part in range(min(int(size), share), 0, -1) if share % part == 0)
        text = str(size) if isinstance(size, int) else f"{float(size):g}"
        why = f"{text} became {values[path]}: {text} does not divide the {share} sequences of {whose}"
        origins[path] = Origin(Kind.CHOSEN, origins[path].keys, why)


SHARDED = tuple(f"stage.placement.{role}.fsdp_shard_gpus" for role in ("actor", "reference", "critic"))


def whole_shard_groups(values: dict[str, Any], origins: dict[str, Origin]) -> None:
    """Shard groups that the target's trainer holds: the largest size, up to the source's, that divides its GPUs."""
    gpus = values.get("stage.placement.actor.gpus")
    for path in SHARDED:
        size = values.get(path)
        # groups of all GPUs or more are one group of all of them
        if not isinstance(gpus, int) or not isinstance(size, int) or not 0 < size < gpus or gpus % size == 0:
            continue
        values[path] = next(part for part in range(size, 0, -1) if gpus % part == 0)
        why = f"{size} became {values[path]}: {gpus} trainer GPUs are no whole number of shard groups of {size}"
        origins[path] = Origin(Kind.CHOSEN, origins[path].keys if path in origins else (), why)


def _share_of_a_rank(values: dict[str, Any]) -> int | None:
    """Sequences of one update on one data-parallel rank; None where they are not known or not whole."""
    worker = "stage.placement.actor."
    megatron = values.get(worker + "backend") == "megatron"
    sizes = [f"megatron.{name}" for name in ("tp", "pp", "cp")] if megatron else ["sp"]
    update, gpus = values.get("stage.batch.sequences_per_update"), values.get(worker + "gpus")
    parts = [values.get(worker + name) or 1 for name in sizes]
    if not isinstance(update, int) or not isinstance(gpus, int) or not all(isinstance(part, int) for part in parts):
        return None
    engines = prod(parts)
    ranks = gpus // engines
    return update // ranks if ranks > 0 and gpus % engines == 0 and update % ranks == 0 else None
