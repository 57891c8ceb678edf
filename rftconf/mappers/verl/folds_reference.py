"""How the Megatron reference is sharded: by its own keys since 0.8, in the actor's groups before, whatever it says."""

from __future__ import annotations

from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import take
from rftconf.mappers.supposing import may_hold, put_to_sleep
from rftconf.mappers.verl import conditions as on

SIZES = {
    "tensor_model_parallel_size": "tp",
    "pipeline_model_parallel_size": "pp",
    "virtual_pipeline_model_parallel_size": "vpp",
    "context_parallel_size": "cp",
    "expert_model_parallel_size": "ep",
    "expert_tensor_parallel_size": "etp",
}
_ACTORS = "up to 0.7 the reference shares the actor's process groups, whatever its own sizes say"


def _size(name: str, field: str) -> Fold:
    own, actors = (f"actor_rollout_ref.{role}.megatron.{name}" for role in ("ref", "actor"))
    path = f"stage.placement.reference.megatron.{field}"

    def read(r: ReadContext) -> None:
        if not may_hold(on.REFERENCE_MEGATRON, r):
            put_to_sleep(r, on.REFERENCE_MEGATRON, own)
            r.values.setdefault(path, None)
        elif r.since("0.8.0"):
            take(r, own, path)
        else:
            r.inactive[own] = _ACTORS
            r.set(path, r.native(actors), actors, how=_ACTORS)

    def write(w: WriteContext) -> None:
        if on.REFERENCE_MEGATRON.test(w):
            w.put(own, w.plan(path), path)
        else:
            w.asleep.setdefault(path, on.REFERENCE_MEGATRON.otherwise)

    return Fold(
        (own,), (path,), read, write, "McoreEngineConfig; megatron_workers up to 0.7: mpu.initialize_model_parallel"
    )


REFERENCE_SIZES = tuple(_size(name, field) for name, field in SIZES.items())
