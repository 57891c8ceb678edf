"""Ulysses' sequence parallelism of FSDP's actor and reference: the role's own key, and the engine's that it overwrites."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.context import When
from rftconf.mappers.precedence import FirstOf, While, since
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import Pair, Where, together
from rftconf.mappers.verl import conditions as on

NAME = "ulysses_sequence_parallel_size"
_UNREAD = "the workers up to 0.7 take the role's own ulysses_sequence_parallel_size"


def _spreads(size: Any) -> bool:
    return isinstance(size, int) and size > 1


def _size(role: str, worker: str, when: When) -> Fold:
    own, engine = f"actor_rollout_ref.{role}.{NAME}", f"actor_rollout_ref.{role}.fsdp_config.{NAME}"
    overwrites, silent = f"{own} overwrites it", f"only a size above 1 overwrites {engine}, which is set"
    either = FirstOf(own, engine, f"stage.placement.{worker}.sp", _spreads, overwrites, silent)
    alone = Pair(own, either.path, idle={engine: _UNREAD})
    return together(
        While(when, Where(since("0.8.0"), either, alone, written=either)),
        why="FSDPActorConfig.__post_init__: the role's size above 1 goes into the engine's; FSDPEngine reads that one",
    )


SEQUENCE_SIZES = (_size("actor", "actor", on.FSDP), _size("ref", "reference", on.REFERENCE_FSDP))
