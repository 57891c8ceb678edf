"""Megatron's parallel sizes, recomputation and layers per pipeline stage, as a worker's options have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rftconf.budget.roles.symbolic_values import Values
from rftconf.budget.terms.training_job import MegatronSizes

if TYPE_CHECKING:
    from rftconf.plan.model import Worker

REPEATS = (re.compile(r"\(([^)]+)\)\*(\d+)"), re.compile(r"(.)\*(\d+)"))
"""`(tt|)*30` and `t*4` of a layout, in the order in which Megatron unrolls them."""
LONGEST = 100_000
"""Characters of an unrolled layout; the deepest models need a thousand."""


def megatron_sizes(worker: Worker, own: Worker, depth: int, values: Values) -> MegatronSizes:
    """The sizes of `worker`; what `own` overrides of Megatron's own options wins."""
    m = worker.megatron

    def size(value: Any, name: str) -> int:
        return values.count(value, f"megatron.{name}", needed=False) or 1

    overrides = own.megatron.transformer_overrides or m.transformer_overrides or {}
    pp = size(m.pp, "pp")
    first, last = ends(overrides, depth, pp)
    layers = layers_per_virtual_stage(overrides.get("pipeline_model_parallel_layout"), pp)
    again = overrides.get("recompute_num_layers")
    layers_again = again if type(again) is int and again > 0 else None
    method = overrides.get("recompute_method")
    return MegatronSizes(
        tp=size(m.tp, "tp"),
        pp=pp,
        vpp=len(layers) // pp if layers else size(m.vpp, "vpp"),
        cp=size(m.cp, "cp"),
        ep=size(m.ep, "ep"),
        etp=size(m.tp if m.etp is None else m.etp, "etp"),
        sequence_parallel=m.sequence_parallel is not False,
        distributed_optimizer=m.distributed_optimizer is not False,
        recompute=_granularity(overrides),
        recompute_modules=_modules(overrides),
        recompute_block=layers_again if method == "block" else None,
        recompute_unit=layers_again if layers_again and method == "uniform" else 1,
        first_stage_layers=first,
        last_stage_layers=last,
        chunks=layers,
    )


def _granularity(overrides: Mapping[str, Any]) -> str:
    """`moe_layer_recompute`, an older switch, is selective recomputation of mixture layers where nothing else is said."""
    granularity = overrides.get("recompute_granularity")
    if granularity is None:
        return "selective" if overrides.get("moe_layer_recompute") is True else "none"
    return str(granularity)


def _modules(overrides: Mapping[str, Any]) -> frozenset[str]:
    modules = overrides.get("recompute_modules")
    names = modules.split(",") if isinstance(modules, str) else modules if isinstance(modules, list) else []
    legacy = {"moe"} if overrides.get("moe_layer_recompute") is True else set()
    return frozenset(str(name).strip() for name in names) | legacy


def ends(overrides: Mapping[str, Any], depth: int, stages: int) -> tuple[int | None, int | None]:
    """Layers of the first and last pipeline stage where they have a number of their own.

    Megatron's `account_for_…_in_pipeline_split` counts embedding and loss as a layer each.
    """
    embedding = overrides.get("account_for_embedding_in_pipeline_split") is True
    loss = overrides.get("account_for_loss_in_pipeline_split") is True
    if (embedding or loss) and stages > 1 and (depth + embedding + loss) % stages == 0:
        each = (depth + embedding + loss) // stages
        return each - embedding, each - loss
    return _layers_of(overrides, "first"), _layers_of(overrides, "last")


def _layers_of(overrides: Mapping[str, Any], end: str) -> int | None:
    value = overrides.get(f"num_layers_in_{end}_pipeline_stage")
    return value if isinstance(value, int) and value > 0 else None


def layers_per_virtual_stage(layout: Any, stages: int) -> tuple[int, ...]:
    """Layers of each virtual stage of a `pipeline_model_parallel_layout` such as `E|(tt|)*30,L`; empty without one.

    Empty too where the layout is none that Megatron reads, or its stages are not a multiple of the pipeline's.
    """
    if not isinstance(layout, str) or not re.fullmatch(r"[ELtm|,()*\d]{1,1000}", layout):
        return ()
    text = layout.replace(",", "")
    for pattern in REPEATS:
        if sum(len(part) * int(times) for part, times in pattern.findall(text)) > LONGEST:
            return ()
        text = pattern.sub(lambda match: match[1] * int(match[2]), text)
    counts = tuple(stage.count("t") for stage in text.split("|"))
    return counts if len(counts) % stages == 0 else ()
