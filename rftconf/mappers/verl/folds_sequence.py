"""Ulysses' sequence parallelism of FSDP's actor and reference: the role's own key, and the engine's that it overwrites."""

from __future__ import annotations

from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import take
from rftconf.mappers.supposing import may_hold, put_to_sleep
from rftconf.mappers.verl import conditions as on

NAME = "ulysses_sequence_parallel_size"
_UNREAD = "the workers up to 0.7 take the role's own ulysses_sequence_parallel_size"


def _size(role: str, worker: str, when: When) -> Fold:
    own, engine = f"actor_rollout_ref.{role}.{NAME}", f"actor_rollout_ref.{role}.fsdp_config.{NAME}"
    path = f"stage.placement.{worker}.sp"

    def read(r: ReadContext) -> None:
        if not may_hold(when, r):
            put_to_sleep(r, when, own, engine)
            r.values.setdefault(path, None)
            return
        size = r.native(own, 1)
        if isinstance(size, Expr) or (isinstance(size, int) and size > 1) or not r.written(engine):
            wins = own
            r.inactive[engine] = f"{own} overwrites it"
        else:
            wins = engine
            r.inactive[own] = f"only a size above 1 overwrites {engine}, which is set"
        if not r.since("0.8.0"):
            wins = own
            r.inactive.pop(own, None)
            r.inactive[engine] = _UNREAD
        take(r, wins, path, 1)

    def write(w: WriteContext) -> None:
        if not when.test(w):
            w.asleep.setdefault(path, when.otherwise)
        elif path in w.values:
            w.put(own, w.plan(path), path)

    why = "FSDPActorConfig.__post_init__: the role's size above 1 goes into the engine's; FSDPEngine reads that one"
    return Fold((own, engine), (path,), read, write, why)


SEQUENCE_SIZES = (_size("actor", "actor", on.FSDP), _size("ref", "reference", on.REFERENCE_FSDP))
