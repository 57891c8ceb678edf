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
    """Give every model that the run holds GPUs of its own, one engine each unless the source says more; returns how many.

    `sizes`: those that make up the target's engines.
    """
    total: Any = 0
    for path in paths(values):
        if values.get(path + "engine") == "external":
            continue
        if values.get(path + "gpus") is None:
            old = origins.get(path + "gpus")
            values[path + "gpus"] = product(values, path.removeprefix(P).removesuffix("."), sizes)
            origins[path + "gpus"] = Origin(Kind.CHOSEN, old.keys if old else (), "one engine")
        total = total + values[path + "gpus"]
    return total


def own_pools(values: dict[str, Any]) -> int:
    """GPUs of the cluster that reward models and judges have to themselves."""
    mine = [
        path
        for path in paths(values)
        if values.get(path + "role") in ("reward", "judge", "teacher") and values.get(path + "own_pool") is True
    ]
    return sum(gpus for gpus in (values.get(path + "gpus") for path in mine) if isinstance(gpus, int))


def sharing(values: dict[str, Any], total: int) -> str:
    """Tell in words which roles share how many of `total` GPUs."""
    own, guests = own_pools(values), [path for path in paths(values) if values.get(path + "own_pool") is False]
    among = "engines, trainer and further models" if guests else "engines and trainer"
    own_models = f" and gives further models {own} of their own" if own else ""
    return f"{f'{total - own} of' if own else 'all'} {total} GPUs between {among}{own_models}"


def own_teacher(values: dict[str, Any], origins: dict[str, Origin]) -> list[Decision]:
    """Give a teacher that takes turns with the trainer one engine on GPUs of its own, for targets that serve it.

    A back end that scores spreads layers over stages; an engine of as many GPUs spreads tensors.
    """
    shared = [
        path
        for path in paths(values)
        if values.get(path + "role") == "teacher" and values.get(path + "own_pool") is False
    ]
    if values.get("stage.kind") != "distill" or not shared:
        return []
    path, old = shared[0], values.get(shared[0] + "gpus")
    size = product(values, path.removeprefix(P).removesuffix("."), ENGINE)
    for field, value in (("gpus", size), ("tp", size), ("pp", 1), ("own_pool", True), ("colocate_with", [])):
        if values.get(path + field) != value:
            known = origins.get(path + field)
            values[path + field] = value
            origins[path + field] = Origin(
                Kind.CHOSEN, known.keys if known else (), f"one engine of {formula(size)} GPUs"
            )
    why = f"in the source the teacher takes turns on the trainer's {formula(old)} GPUs; here it is served from GPUs of its own"
    return [Decision(path + "gpus", why, ("more engines, where the cluster has the GPUs",), f"{formula(size)} GPUs")]
