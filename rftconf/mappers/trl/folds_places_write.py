"""The launcher's words, engines, adapters and data sets of a plan that is written for TRL."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import WriteContext
from rftconf.mappers.files import Folder, folder_of_file
from rftconf.mappers.shapes import carry, leave_open, lose_known, settle
from rftconf.mappers.trl.folds_batch import PROCESSES, P
from rftconf.mappers.trl.folds_places import (
    ALPHA,
    CONFIG,
    ENGINE,
    FSDP_OFFLOADS,
    LORA,
    MODE,
    NAME,
    OPTIMIZER_AT,
    PEFT,
    RANK,
    TARGETS,
    TEST,
    TP,
    TRAIN,
    WEIGHTS_AT,
    D,
)

FILE = "accelerate_config"
SHIPPED = {"fsdp": "fsdp1", "fsdp2": "fsdp2", "deepspeed": "zero3", "ddp": "multi_gpu"}
"""Back end to the launcher's config file that TRL ships for it (trl/accelerate_configs)."""
ACTOR, PARAM, OPTIMIZER = P + "actor.backend", P + "actor.offload.param", P + "actor.offload.optimizer"


def write_trainer(w: WriteContext) -> None:
    """One of the launcher's config files that TRL ships; Megatron has none, and the weights are sharded instead."""
    backend = w.plan(ACTOR)
    if backend is None or w.same_framework:
        _keep_trainer(w)
        return
    name, note = SHIPPED.get(backend), ""
    if name is None:
        name, note = "fsdp2", f"TRL trains under DDP, DeepSpeed or FSDP, where the source has {formula(backend)}"
        w.decide(FILE, f"{note}: weights are sharded over all {formula(w.plan(P + 'actor.gpus'))} GPUs instead",
                 "fsdp2: shards of weights, gradients and optimizer", "zero3: the same with DeepSpeed", "or keep the source's framework")  # fmt: skip
    if name == "multi_gpu" and w.plan(P + "actor.gpus") == 1:
        name = "single_gpu"
    w.put(FILE, name, ACTOR, state=State.NARROWED if note else State.DERIVED, note=note, always=True)
    _write_offload(w, name)
    _settle_shards(w, name)
    reference = P + "reference.backend"
    if w.plan(reference) is not None:
        settle(w, reference, w.plan(reference) == backend, "the reference is sharded as the policy is")


def _keep_trainer(w: WriteContext) -> None:
    """Leave what the launcher is told as it is written."""
    for path in (ACTOR, P + "reference.backend", PARAM, OPTIMIZER, P + "actor.fsdp_shard_gpus"):
        if w.plan(path) is not None:
            w.lose(path, State.DERIVED, "as the launcher is told")


def _write_offload(w: WriteContext, name: str) -> None:
    param, optimizer = w.plan(PARAM), w.plan(OPTIMIZER)
    if name in ("fsdp1", "fsdp2"):
        both = bool(param is True or optimizer is True)
        uneven = both and param is not optimizer
        note = "FSDP moves weights and optimizer to the CPU together" if uneven else ""
        paths = [path for path in (PARAM, OPTIMIZER) if w.plan(path) is not None]
        if both:
            w.put(FSDP_OFFLOADS, True, *paths, state=State.NARROWED if note else State.EXACT, note=note, always=True)
        else:
            lose_known(w, State.DEFAULT, "nothing is moved to the CPU", PARAM, OPTIMIZER)
        return
    for path, key in ((PARAM, WEIGHTS_AT), (OPTIMIZER, OPTIMIZER_AT)):
        value = w.plan(path)
        if value is True and name == "zero3":
            w.put(key, "cpu", path, always=True)
        elif value is not None:
            settle(w, path, value is not True, "nothing is moved to the CPU", "DDP keeps the whole model on its GPU")


def _settle_shards(w: WriteContext, name: str) -> None:
    path, gpus = P + "actor.fsdp_shard_gpus", w.plan(P + "actor.gpus")
    shards = w.plan(path)
    if shards is not None:
        same = name in ("fsdp1", "fsdp2", "zero3") and shards in (gpus, -1)
        settle(
            w,
            path,
            same,
            "weights are sharded over all processes",
            f"weights are sharded over all {formula(gpus)} processes, or over none",
        )


def write_reference(w: WriteContext) -> None:
    """The reference stands on the trainer's processes."""
    path = P + "reference.gpus"
    gpus = w.plan(path)
    if gpus is None:
        return
    if w.plan("stage.algorithm.kl_loss.enabled") is False:
        w.lose(path, State.DEFAULT, "GRPOTrainer loads no reference while beta is 0")
        return
    settle(w, path, gpus == w.plan(P + "actor.gpus"), "the trainer's processes", alike=State.DERIVED)


def write_engines(w: WriteContext) -> None:
    """Engines in the trainer's processes, or a server that a command of its own starts."""
    engine, layout, gpus, tp = (
        w.plan(P + field) for field in ("rollout.engine", "layout", "rollout.gpus", "rollout.tp")
    )
    if engine is not None:
        own = engine == "hf"
        note = "" if engine in ("vllm", "hf") else f"TRL generates with vLLM, where the source has {formula(engine)}"
        w.put(
            ENGINE, not own, P + "rollout.engine", state=State.NARROWED if note else State.EXACT, note=note, always=True
        )
    if isinstance(layout, Expr):
        leave_open(w, MODE, "where the engines are depends on a value the source does not tell", P + "layout")
    elif layout in ("disaggregated", "lendable"):
        lent = "TRL's server keeps its GPUs, which the source lends to the trainer" if layout == "lendable" else ""
        _write_server(w, gpus, tp, lent)
        return
    elif layout is not None:
        w.put(MODE, "colocate", P + "layout", always=engine != "hf")
    if gpus is not None:
        settle(w, P + "rollout.gpus", gpus == w.plan(P + "actor.gpus"), "the trainer's GPUs", alike=State.DERIVED)
    if tp is not None and engine != "hf":
        _write_tp(w, tp)
    elif tp is not None:
        w.lose(P + "rollout.tp", State.DERIVED, "the trainer's own model generates")


def _write_server(w: WriteContext, gpus: Any, tp: Any, lent: str) -> None:
    w.put(MODE, "server", P + "layout", state=State.NARROWED if lent else State.EXACT, note=lent, always=True)
    sizes = f"--tensor_parallel_size {formula(tp)}" if tp is not None else "its own sizes"
    why = f"the engines are a server on GPUs of its own: {formula(gpus)} in the source"
    w.decide(MODE, why, f"start `trl vllm-serve --model ...` with {sizes} on those GPUs, before the trainer")
    for field in ("gpus", "tp"):
        if w.plan(f"{P}rollout.{field}") is not None:
            w.lose(f"{P}rollout.{field}", State.NARROWED, "an option of the server: trl vllm-serve")


def _write_tp(w: WriteContext, tp: Any) -> None:
    """Engines take whole groups of processes: the largest size up to the source's that divides them."""
    processes, path = w.plan(P + "actor.gpus"), P + "rollout.tp"
    known = isinstance(tp, int) and isinstance(processes, int) and tp > 0 and processes > 0
    fits = max(size for size in range(1, min(tp, processes) + 1) if processes % size == 0) if known else tp
    note = f"{tp} does not divide {PROCESSES} {processes}" if fits != tp else ""
    w.put(TP, fits, path, state=State.ROUNDED if note else State.EXACT, note=note, always=True)


def write_limits(w: WriteContext) -> None:
    """An engine in the trainer's processes takes what a device generates, in 4096 tokens at once."""
    for field in ("max_num_seqs", "max_batched_tokens"):
        if w.plan(f"{P}rollout.{field}") is not None:
            w.lose(
                f"{P}rollout.{field}",
                State.NARROWED,
                "the engine takes the completions of its processes at once, 4096 tokens a step",
            )


def write_adapters(w: WriteContext) -> None:
    """Adapters where the plan has a rank above 0."""
    rank, alpha, targets = (w.plan(LORA + field) for field in ("rank", "alpha", "targets"))
    if rank in (0, None):
        lose_known(w, State.DEFAULT, "there are no adapters", *(LORA + field for field in ("rank", "alpha", "targets")))
        return
    w.put(PEFT, True, LORA + "rank", always=True)
    w.put(RANK, rank, LORA + "rank", always=True)
    if alpha is not None:
        w.put(ALPHA, alpha, LORA + "alpha", always=True)
    if targets is not None:
        w.put(TARGETS, [targets] if isinstance(targets, str) else targets, LORA + "targets", always=True)


def write_data(w: WriteContext) -> None:
    """One data set by its name, or a mixture; a file is the folder it lies in, with the split of its name."""
    count = w.items(D + "train")
    if w.plan(f"{D}train[0].uri") in ("", None):
        if not w.same_framework:
            leave_open(w, NAME, "the source names no data")
        return
    if count == 1 and not w.facts.folders:
        _write_set(w, "train", TRAIN)
    for index in range(count if count > 1 else 0):
        _write_part(w, index)
    _write_evaluation(w, single=count == 1)
    _settle_order(w, count)


def _place(w: WriteContext, at: str) -> tuple[Any, Any, Folder | None]:
    """Return the place of a set and its split, as `load_dataset` takes them."""
    uri, split = w.plan(at + "uri"), w.plan(at + "split")
    found = folder_of_file(uri) if split is None else None
    return (uri, split, None) if found is None else (found.path, found.split, found)


def _cost(found: Folder | None) -> dict[str, Any]:
    if found is None:
        return {}
    alone = "; the folder must hold this file only" if found.alone else ""
    note = f"TRL loads folders (load_dataset), not single files{alone}"
    return {"state": State.NARROWED if found.alone else State.DERIVED, "note": note, "how": "the file's folder"}


def _write_set(w: WriteContext, listed: str, key: str) -> None:
    at = f"{D}{listed}[0]."
    path, split, found = _place(w, at)
    w.put(NAME, path, at + "uri", always=True, **_cost(found))
    carry(w, CONFIG, at + "subset")
    if split is not None:
        w.put(
            key,
            split,
            at + "split" if found is None else at + "uri",
            state=State.EXACT if found is None else State.DERIVED,
        )
    _settle_item(w, at)


def _write_part(w: WriteContext, index: int) -> None:
    at, to = f"{D}train[{index}].", f"datasets[{index}]."
    path, split, found = _place(w, at)
    w.put(to + "path", path, at + "uri", always=True, **_cost(found))
    carry(w, to + "name", at + "subset", always=True)
    if split is not None:
        w.put(to + "split", split, at + "split" if found is None else at + "uri", always=True)
    _settle_item(w, at)


def _settle_item(w: WriteContext, at: str) -> None:
    prompt, storage = w.plan(at + "keys.prompt"), w.plan(at + "storage")
    if prompt is not None:
        settle(
            w,
            at + "keys.prompt",
            prompt == "prompt",
            "as GRPOTrainer reads it",
            f"the column must be called prompt, not {formula(prompt)}",
        )
    if storage is not None:
        settle(
            w,
            at + "storage",
            storage == "file",
            "load_dataset opens files",
            f"load_dataset opens files, and no {formula(storage)}",
        )


def _write_evaluation(w: WriteContext, *, single: bool) -> None:
    """Evaluation takes another split of the one data set; sets elsewhere are lost, and that is asked about."""
    for index in range(w.items(D + "eval")):
        at = f"{D}eval[{index}]."
        path, split, found = _place(w, at)
        if (
            single
            and index == 0
            and path == w.out[NAME].value
            and w.plan(at + "subset") == w.plan(f"{D}train[0].subset")
        ):
            w.put(
                TEST,
                split or "train",
                at + "uri",
                *([at + "split"] if found is None else []),
                state=State.DERIVED,
                always=True,
            )
            w.lose(at + "subset", State.DERIVED, "the one data set's")
        else:
            note = f"TRL evaluates on a split of the data set it trains on, and not on {formula(path)}"
            lose_known(w, State.NO_COUNTERPART, note, *(at + field for field in ("uri", "split", "subset")))
            w.decide(NAME, note, "put both into one data set, as two splits", "evaluate after the run")
        _settle_item(w, at)


def _settle_order(w: WriteContext, count: int) -> None:
    mixing = w.plan(D + "mixing")
    if mixing is not None:
        mixed = mixing != "concat" and count > 1
        w.lose(D + "mixing", State.NARROWED if mixed else State.DEFAULT, "data sets are concatenated")
