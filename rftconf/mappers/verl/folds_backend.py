"""The actor's engine is read and written here, with the sizes of one whose config lies in a package of its own."""

from __future__ import annotations

from rftconf.mappers.codecs import same, words
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.rows import Fold, Row
from rftconf.mappers.shapes import leave_to_default
from rftconf.mappers.verl.chosen_engine import other_engine
from rftconf.mappers.verl.model_overrides import read_frozen_router

ACTOR, WORKER = "actor_rollout_ref.actor.", "stage.placement.actor."
BACKEND, STRATEGY = WORKER + "backend", ACTOR + "strategy"
GROUPS = ("actor@actor_rollout_ref.actor", "model_engine")
"""Words of a launch line that choose the engine's part of the config."""
BACKENDS = words({name: name for name in ("fsdp", "fsdp2", "megatron", "veomni", "torchtitan")})
NAMES = {"mlite": "megatron_lite"}
"""What engines are called whose word is short."""


def _read(r: ReadContext) -> None:
    read_frozen_router(r)
    chosen = tuple(group for group in GROUPS if r.written(group))
    other = other_engine(r)
    if other:
        r.set(BACKEND, NAMES.get(other, other), *chosen)
        return
    keys = [STRATEGY] if r.written(STRATEGY) or not chosen else []
    r.set(BACKEND, BACKENDS.get(r.native(STRATEGY), r, None), *keys, *chosen)


def _write(w: WriteContext) -> None:
    value = w.plan(BACKEND)
    if value is None:
        return
    put = BACKENDS.put(value, w, None)
    if put.value is None:
        leave_to_default(w, STRATEGY, BACKEND, put.note)
    else:
        w.put(STRATEGY, put.value, BACKEND, state=put.state, note=put.note, always=True)


FOLD = Fold(
    (STRATEGY, *GROUPS), (BACKEND,), _read, _write, "main_ppo: worker class; ppo_trainer.yaml: its defaults list"
)

_LITE_SIZES = {
    "tp": "mesh.tp", "pp": "mesh.pp", "cp": "mesh.cp", "ep": "mesh.ep", "param_offload": "offload.param",
    "optimizer_offload": "offload.optimizer",
}  # fmt: skip
_LITE = When(
    lambda c: other_engine(c) == "mlite", "only Megatron Lite reads it (actor@actor_rollout_ref.actor=mlite_actor)"
)
LITE_ROWS = tuple(
    Row(
        f"{ACTOR}engine.{name}",
        WORKER + field,
        same,
        "megatron_lite's mlite_actor.yaml: engine",
        when=_LITE,
        alias=True,
    )
    for name, field in _LITE_SIZES.items()
)
"""Megatron Lite's block, which its own package brings: what the launch line writes of it, since no release has it."""
