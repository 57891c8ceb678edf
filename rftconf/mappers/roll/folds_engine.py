"""ROLL's engines: which one, its share of a GPU, and how many GPUs one has."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.products import SpreadExperts
from rftconf.mappers.roll.conditions import RL, VLLM
from rftconf.mappers.roll.folds_places import NAME, P
from rftconf.mappers.roll.rows_run import DTYPES
from rftconf.mappers.shapes import carry, leave_open, take, together

ENGINE, CONFIG = "actor_infer" + NAME, "actor_infer.strategy_args.strategy_config."
SHARES = {"vllm": "gpu_memory_utilization", "sglang": "mem_fraction_static"}
WORKER = "actor_infer.num_gpus_per_worker"


def read_engine(r: ReadContext) -> None:
    """The engine, its share of a GPU, and the GPUs of one engine."""
    engine = r.native(ENGINE)
    r.set(P + "rollout.engine", engine, ENGINE)
    key = CONFIG + SHARES.get(str(engine), SHARES["vllm"])
    other = CONFIG + next(share for name, share in SHARES.items() if CONFIG + share != key)
    r.inactive[other] = f"{engine} does not read it"
    take(r, key, P + "rollout.gpu_memory_fraction", 0.9 if engine == "vllm" else None)
    if engine == "sglang":
        tp = r.native(CONFIG + "tensor_parallel_size")
        r.set(P + "rollout.tp", tp or r.native(WORKER, 1), CONFIG + "tensor_parallel_size" if tp else WORKER)
        if tp:
            r.inactive[WORKER] = "tensor_parallel_size says it"
        return
    r.inactive[WORKER] = "ROLL overwrites it with tensor_parallel_size x pipeline_parallel_size"
    take(r, CONFIG + "tensor_parallel_size", P + "rollout.tp", 1)


def write_engine(w: WriteContext) -> None:
    """vLLM or SGLang; the share of a GPU is called otherwise in each."""
    engine, path = w.plan(P + "rollout.engine"), P + "rollout.engine"
    if engine in SHARES or (isinstance(engine, str) and w.same_framework):
        w.put(ENGINE, engine, path, always=True)
    else:
        named = "the source names no engine" if engine is None else f"not with {formula(engine)}"
        note = f"ROLL generates with vllm or sglang; {named}"
        w.decide(ENGINE, note, *SHARES)
        leave_open(w, ENGINE, note, path, state=State.UNRESOLVED if isinstance(engine, Expr) else State.NO_COUNTERPART)
    share = SHARES.get(str(engine), SHARES["vllm"])
    carry(w, CONFIG + share, P + "rollout.gpu_memory_fraction", always=True)
    tp, pp = w.plan(P + "rollout.tp"), w.plan(P + "rollout.pp") or 1
    if tp is not None:
        w.put(CONFIG + "tensor_parallel_size", tp, P + "rollout.tp", default=1)
        if engine == "sglang":
            w.put(WORKER, tp * pp, P + "rollout.tp", how="GPUs of one engine")


def _engine_gpus(c: Context) -> Any:
    """Return the GPUs of an engine; no other engine than vLLM is given a data-parallel size."""
    return ((c.plan(P + "rollout.dp") or 1) if VLLM.test(c) else 1) * (c.plan(P + "rollout.tp") or 1)


EXPERTS = together(SpreadExperts(CONFIG + "enable_expert_parallel", _engine_gpus, unlisted=True), why="vLLM", when=RL)


def put_dtype(w: WriteContext, section: str, path: str, *, always: bool) -> None:
    """A model's dtype under ROLL's names; one that ROLL has no name for is said."""
    put = DTYPES.put(w.plan(path), w, None)
    w.put(f"{section}.model_args.dtype", put.value, path, state=put.state, note=put.note, always=always)
