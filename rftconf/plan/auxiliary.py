"""GPUs of models that answer during rollout: reward models, judges, helpers (row 7.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
        if values.get(at + "role") in ("reward", "judge") and values.get(at + "own_pool") is True
    ]
    return sum(gpus for gpus in (values.get(at + "gpus") for at in mine) if isinstance(gpus, int))


def sharing(values: dict[str, Any], total: int) -> str:
    """Who shares how many of `total` GPUs, in words."""
    own, guests = own_pools(values), [at for at in paths(values) if values.get(at + "own_pool") is False]
    among = "engines, trainer and further models" if guests else "engines and trainer"
    apart = f" and gives further models {own} of their own" if own else ""
    return f"{f'{total - own} of' if own else 'all'} {total} GPUs between {among}{apart}"
