"""GPUs of models that answer during rollout: reward models, judges, helpers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rftconf.base.ledger import Decision
from rftconf.base.symbols import formula
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.ranks import ENGINE, P, product


def paths(values: dict[str, Any]) -> Iterator[str]:
    """The path of each auxiliary model, with its last dot."""
    index = 0
    while f"{P}auxiliary[{index}].role" in values or f"{P}auxiliary[{index}].path" in values:
        yield f"{P}auxiliary[{index}]."
        index += 1


def place_auxiliary(values: dict[str, Any], origins: dict[str, Origin], sizes: tuple[str, ...] = ENGINE) -> Any:
    """Give every model GPUs of its own, one engine each unless the source says more; returns how many that are.

    `sizes`: those that make up the target's engines.
    """
    total: Any = 0
    for at in paths(values):
        if values.get(at + "gpus") is None:
            old = origins.get(at + "gpus")
            values[at + "gpus"] = product(values, at.removeprefix(P).removesuffix("."), sizes)
            origins[at + "gpus"] = Origin(Kind.CHOSEN, old.keys if old else (), "one engine")
        total = total + values[at + "gpus"]
    return total


def own_pools(values: dict[str, Any]) -> int:
    """GPUs of the cluster that reward models and judges have to themselves."""
    mine = [
        at
        for at in paths(values)
        if values.get(at + "role") in ("reward", "judge", "teacher") and values.get(at + "own_pool") is True
    ]
    return sum(gpus for gpus in (values.get(at + "gpus") for at in mine) if isinstance(gpus, int))


def sharing(values: dict[str, Any], total: int) -> str:
    """Who shares how many of `total` GPUs, in words."""
    own, guests = own_pools(values), [at for at in paths(values) if values.get(at + "own_pool") is False]
    among = "engines, trainer and further models" if guests else "engines and trainer"
    apart = f" and gives further models {own} of their own" if own else ""
    return f"{f'{total - own} of' if own else 'all'} {total} GPUs between {among}{apart}"


def own_teacher(values: dict[str, Any], origins: dict[str, Origin]) -> list[Decision]:
    """Give a teacher that takes turns with the trainer one engine on GPUs of its own, for targets that serve it.

    A back end that scores spreads layers over stages; an engine of as many GPUs spreads tensors.
    """
    shared = [
        at for at in paths(values) if values.get(at + "role") == "teacher" and values.get(at + "own_pool") is False
    ]
    if values.get("stage.kind") != "distill" or not shared:
        return []
    at, old = shared[0], values.get(shared[0] + "gpus")
    size = product(values, at.removeprefix(P).removesuffix("."), ENGINE)
    for field, value in (("gpus", size), ("tp", size), ("pp", 1), ("own_pool", True), ("colocate_with", [])):
        if values.get(at + field) != value:
            known = origins.get(at + field)
            values[at + field] = value
            origins[at + field] = Origin(
                Kind.CHOSEN, known.keys if known else (), f"one engine of {formula(size)} GPUs"
            )
    why = f"in the source the teacher takes turns on the trainer's {formula(old)} GPUs; here it is served from GPUs of its own"
    return [Decision(at + "gpus", why, ("more engines, where the cluster has the GPUs",), f"{formula(size)} GPUs")]
