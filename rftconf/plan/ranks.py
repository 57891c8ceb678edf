"""One role's parallel sizes give the GPUs that it needs: an engine, a data-parallel rank, a copy of the experts."""

from __future__ import annotations

from typing import Any

P = "stage.placement."
MEGATRON_RANK = ("megatron.tp", "megatron.pp", "megatron.cp")
FSDP_RANK = ("sp", "mesh.tp", "mesh.pp", "mesh.cp")
"""Sizes whose product is the GPUs of one data-parallel rank, of Megatron and of every trainer that stands on FSDP."""
ENGINE = ("tp", "dp", "pp")
"""Sizes whose product is the GPUs of one engine, where a framework has all three."""


def rank_sizes(backend: Any) -> tuple[str, ...]:
    """The fields of a worker whose product is the GPUs of one of its data-parallel ranks."""
    return MEGATRON_RANK if backend == "megatron" else FSDP_RANK


def product(values: dict[str, Any], role: str, sizes: tuple[str, ...]) -> Any:
    """The product of the named sizes of a role [GPUs]; an expression where one of them is."""
    total: Any = 1
    for size in sizes:
        total = total * (values.get(f"{P}{role}.{size}") or 1)
    return total


def rank_gpus(values: dict[str, Any]) -> int:
    """GPUs of one data-parallel rank of the trainer: Ulysses SP, or TP*PP*CP."""
    return _whole([values.get(f"{P}actor.{size}") for size in rank_sizes(values.get(P + "actor.backend"))])


def expert_gpus(values: dict[str, Any]) -> int:
    """GPUs that hold every expert once, ETP*EP*PP: ETP is TP unless it is set (megatron.core.parallel_state)."""
    if values.get(P + "actor.backend") != "megatron":
        return 1
    path = P + "actor.megatron."
    etp = values.get(path + "etp")
    return _whole([values.get(path + "tp") if etp is None else etp, values.get(path + "ep"), values.get(path + "pp")])


def _whole(sizes: list[Any]) -> int:
    """The product of the sizes that are known."""
    total = 1
    for size in sizes:
        total *= size if isinstance(size, int) else 1
    return total
