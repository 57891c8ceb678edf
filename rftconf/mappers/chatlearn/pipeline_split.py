"""This module counts a pipeline's layers where the source has Megatron count the embedding and the loss as a layer each.

ChatLearn has no key for those switches, and keys for what comes of them: the layers of the first and of the last stage, or
the whole layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING
from rftconf.mappers.codecs import Put
from rftconf.mappers.context import WriteContext

EMBEDDING, LOSS = "account_for_embedding_in_pipeline_split", "account_for_loss_in_pipeline_split"
SWITCHES = {EMBEDDING: "decoder_first_pipeline_num_layers", LOSS: "decoder_last_pipeline_num_layers"}
"""Megatron's switches, and ChatLearn's key for the layers of the stage that has one fewer for it."""
LAYOUT = "pipeline_model_parallel_layout"
SAME = ("num_layers_in_first_pipeline_stage", "num_layers_in_last_pipeline_stage", LAYOUT)
"""Options that say the same as the switches, beside which Megatron refuses them."""


def write_split(w: WriteContext, overrides: Mapping[str, Any], native: str, path: str, role: str = "") -> set[str]:
    """Write the stages that the switches in `overrides` of `path` make, under `native`; return the switches that this answers.

    `role`: the prefix of a role that is laid out as the one of `path`, whose account this is not.
    """
    switches = {name: overrides[name] for name in SWITCHES if isinstance(overrides.get(name), bool)}
    own, prefix = path.rpartition(".")[0], role or path.rpartition(".")[0]
    stages, chunks = (w.plan(f"{prefix}.{name}") or w.plan(f"{own}.{name}") or 1 for name in ("pp", "vpp"))
    counted = isinstance(stages, int) and isinstance(chunks, int)
    if not counted or any(overrides.get(name) is not None for name in SAME):
        return set()
    on = [name for name, value in switches.items() if value and stages > 1]
    off = [name for name in switches if name not in on]
    for name in off if not role else ():
        w.lose(path, State.DEFAULT, "all layers are in one stage, or every stage has as many", entry=name)
    account = () if role else (path,)
    for name, put in _stages(w.facts.layers() if on else None, stages, chunks, on).items():
        key = f"{native}.{LAYOUT if chunks > 1 else SWITCHES[name]}"
        w.put(
            key,
            put.value,
            *account,
            state=put.state,
            note=put.note,
            how=put.how,
            always=True,
            entry="" if role else name,
        )
        if put.value == MISSING:
            w.decide(key, put.note, "the layout" if chunks > 1 else "the number")
        off.append(name)
    return set(off)


def _stages(layers: int | None, stages: int, chunks: int, on: list[str]) -> dict[str, Put]:
    """Return a stand-in for each switch that is on; none where layers do not come out even (Megatron refuses that)."""
    parts = stages * chunks
    if layers is None:
        note = (
            f"in the source Megatron counts it as a layer; here: (the model's layers + {len(on)}) / {parts}, less one"
        )
        return dict.fromkeys(on, Put(MISSING, State.UNRESOLVED, note))
    if (layers + len(on)) % parts:
        return {}
    split = [(layers + len(on)) // parts] * parts
    split[0] -= EMBEDDING in on
    split[-1] -= LOSS in on
    # as Megatron's layout spells them: E embedding, t a layer, L the loss
    layout = f"E{'|'.join('t' * count for count in split)}L"
    how = f"({layers} layers + {len(on)}) / {parts}, less one for embedding or loss"
    values = {name: layout if chunks > 1 else split[-1 if name == LOSS else 0] for name in on}
    return {name: Put(value, State.DERIVED, how=how) for name, value in values.items()}
