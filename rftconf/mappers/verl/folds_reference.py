"""The Megatron reference is sharded by its own keys since 0.8, in the actor's groups before, whatever it says."""

from __future__ import annotations

from rftconf.mappers.precedence import While, since
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import Pair, Where, together
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
    pair = Pair(own, f"stage.placement.reference.megatron.{field}", null=True)
    shared = Pair(actors, pair.path, how=_ACTORS, idle={own: _ACTORS})
    return together(
        While(on.REFERENCE_MEGATRON, Where(since("0.8.0"), pair, shared, written=pair)),
        why="McoreEngineConfig; megatron_workers up to 0.7: mpu.initialize_model_parallel",
    )


REFERENCE_SIZES = tuple(_size(name, field) for name, field in SIZES.items())
