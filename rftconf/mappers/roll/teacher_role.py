"""The teacher's worker: in ROLL it scores each batch with a back end of its own, as a reference does."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import formula
from rftconf.mappers.context import WriteContext
from rftconf.mappers.roll.folds_engine import put_dtype
from rftconf.mappers.roll.folds_places import INFER_OF, NAME, P, put_mapping
from rftconf.mappers.shapes import known_below, lose_known

SECTION = "teacher"
CONFIG = f"{SECTION}.strategy_args.strategy_config."


def write_teacher(w: WriteContext, prefix: str) -> None:
    """One teacher; a second has no place here."""
    if w.facts.has_teacher:
        why = "one teacher is written; ROLL names several by the tags of their rows, which the source does not have"
        lose_known(w, State.NO_COUNTERPART, why, *known_below(w, prefix))
        return
    w.facts.has_teacher = True
    path, dtype, rows = (w.plan(prefix + field) for field in ("path", "dtype", "sequences_per_pass"))
    known = [prefix + "path"] if path is not None else []
    w.put(f"{SECTION}.model_args.model_name_or_path", "???" if path is None else path, *known, always=True)
    if dtype is not None:
        put_dtype(w, SECTION, prefix + "dtype", always=False)
    if rows is not None:
        w.put(f"{SECTION}.infer_batch_size", rows, prefix + "sequences_per_pass", always=True)
    _write_strategy(w, prefix)
    _write_devices(w, prefix)
    lose_known(w, State.DEFAULT, "its section says it", *(prefix + field for field in ("role", "name")))
    scores = "ROLL's teacher scores whole sequences of the student's; it serves and draws nothing"
    lose_known(w, State.DEAD_IN_TARGET, scores, *(path for path in known_below(w, prefix) if path not in w.outcomes))


def _write_strategy(w: WriteContext, prefix: str) -> None:
    """An engine's scores have no counterpart: the teacher computes them as the trainer's back end does."""
    engine, backend = w.plan(prefix + "engine"), w.plan(P + "actor.backend")
    own = isinstance(engine, str) and engine in INFER_OF
    name = INFER_OF.get(engine if own else str(backend), "???")
    paths = [prefix + "engine"] if engine is not None else []
    note = "" if own or engine is None else f"ROLL's teacher scores with {name}, not with the engine {formula(engine)}"
    if not w.since("0.2.1"):
        name = name.replace("fsdp2", "deepspeed")
    w.put(SECTION + NAME, name, *paths, note=note, always=True)
    for field, key in (("tp", "tensor"), ("pp", "pipeline")):
        size = w.plan(prefix + field)
        if size is None:
            continue
        if name == "megatron_infer":
            w.put(f"{CONFIG}{key}_model_parallel_size", size, prefix + field, always=size != 1, default=1)
        else:
            alone = State.DEFAULT if size == 1 else State.NARROWED
            w.lose(prefix + field, alone, f"{name} shards the teacher over all its GPUs")


def _write_devices(w: WriteContext, prefix: str) -> None:
    """Behind the policy's GPUs, or on the trainer's, with which it takes turns."""
    count, free = w.plan(prefix + "gpus"), w.facts.first_free
    own = w.plan(prefix + "own_pool") is not False
    count = w.plan(P + "actor.gpus") if count is None and not own else count
    first = free if own else 0
    paths = [prefix + field for field in ("gpus", "own_pool", "colocate_with") if w.plan(prefix + field) is not None]
    put_mapping(w, f"{SECTION}.device_mapping", first, count, *paths)
    if own and isinstance(count, int) and isinstance(first, int):
        w.facts.first_free = first + count
