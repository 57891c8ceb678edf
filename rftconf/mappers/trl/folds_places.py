"""The GPUs of TRL's trainer and engines, what the launcher is told of them, and adapters."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, Var, arith, formula
from rftconf.mappers.context import Context, ReadContext, When, WriteContext
from rftconf.mappers.lora import Adapters
from rftconf.mappers.rates import divisor_of
from rftconf.mappers.shapes import Behaves, Where, leave_open, lose_known, settle_known, together
from rftconf.mappers.trl.folds_batch import KIND, PROCESSES, P, from_environment
from rftconf.plan.origin import Kind

STAGE, OPTIMIZER_AT, WEIGHTS_AT = "zero_stage", "offload_optimizer_device", "offload_param_device"
VERSION, OFFLOADS, FILE = "fsdp_version", "fsdp_offload_params", "accelerate_config"
LAUNCHED = (KIND, STAGE, OPTIMIZER_AT, WEIGHTS_AT, VERSION, OFFLOADS, "use_deepspeed", "use_fsdp", "deepspeed", "fsdp")
SHIPPED = {"fsdp": "fsdp1", "fsdp2": "fsdp2", "deepspeed": "zero3", "ddp": "multi_gpu"}
"""Back end to the launcher's config file that TRL ships for it (trl/accelerate_configs)."""
ACTOR, PARAM, OPTIMIZER = P + "actor.backend", P + "actor.offload.param", P + "actor.offload.optimizer"
REFERENCE, SHARDS, GPUS = P + "reference.backend", P + "actor.fsdp_shard_gpus", P + "actor.gpus"
ZERO = P + "actor.zero_stage"
LAUNCHERS_STAGE = 2
"""The stage of a DeepSpeed launch that names none (accelerate/utils/dataclasses.py: DeepSpeedPlugin)."""


def read_trainer(r: ReadContext) -> None:
    """DeepSpeed or FSDP, as the launcher or the arguments say; else each process has the whole model (DDP)."""
    kind = str(r.native(KIND) or "").upper()
    deepspeed = kind == "DEEPSPEED" or r.native("use_deepspeed") is True
    deepspeed = deepspeed or r.native("deepspeed") is not None or bool(r.source.branch("deepspeed"))
    sharded = kind == "FSDP" or r.native("use_fsdp") is True or bool(r.native("fsdp"))
    backend = "deepspeed" if deepspeed else ("fsdp2" if r.native(VERSION) == 2 else "fsdp") if sharded else "ddp"
    for path in (ACTOR, REFERENCE):
        r.set(path, backend, *LAUNCHED)
    for path, key in ((PARAM, WEIGHTS_AT), (OPTIMIZER, OPTIMIZER_AT)):
        device = r.native(key)
        r.set(
            path, device if isinstance(device, Expr) else device == "cpu" or r.native(OFFLOADS) is True, key, OFFLOADS
        )
    r.set(SHARDS, r.plan(GPUS) if sharded else None, KIND, VERSION)
    r.set(ZERO, _stage(r) if deepspeed else None, STAGE)


def _stage(r: ReadContext) -> Any:
    """The stage that launcher or config name; unknown where a file that is not here says it."""
    stage = r.native(STAGE)
    in_a_file = r.native("deepspeed") is not None or r.native("deepspeed_config_file") is not None
    return stage if stage is not None or in_a_file else LAUNCHERS_STAGE


def write_trainer(w: WriteContext) -> None:
    """One of the launcher's config files that TRL ships; Megatron has none, and the weights are sharded instead."""
    backend, gpus = w.plan(ACTOR), w.plan(GPUS)
    if backend is None or w.same_framework:
        lose_known(w, State.DERIVED, "as the launcher is told", ACTOR, REFERENCE, PARAM, OPTIMIZER, SHARDS, ZERO)
        return
    name, note = SHIPPED.get(backend), ""
    stage = w.plan(ZERO)
    if name == "zero3" and stage in (1, 2):
        name = f"zero{stage}"
    if name is None:
        name, note = "fsdp2", f"TRL trains under DDP, DeepSpeed or FSDP, where the source has {formula(backend)}"
        w.decide(FILE, f"{note}: weights are sharded over all {formula(gpus)} GPUs instead",
                 "fsdp2: shards of weights, gradients and optimizer", "zero3: the same with DeepSpeed", "or keep the source's framework")  # fmt: skip
    if name == "multi_gpu" and gpus == 1:
        name = "single_gpu"
    staged = name == f"zero{stage}"
    paths = (ACTOR, ZERO) if staged else (ACTOR,)
    w.put(FILE, name, *paths, state=State.NARROWED if note else State.DERIVED, note=note, always=True)
    _write_offload(w, name)
    same = name in ("fsdp1", "fsdp2", "zero3") and w.plan(SHARDS) in (gpus, -1)
    other = f"weights are sharded over all {formula(gpus)} processes, or over none"
    settle_known(w, SHARDS, same, "weights are sharded over all processes", other)
    if not staged:
        settle_known(w, ZERO, False, "", "TRL's launcher has files for stages 1 to 3")
    settle_known(w, REFERENCE, w.plan(REFERENCE) == backend, "the reference is sharded as the policy is")


def _write_offload(w: WriteContext, name: str) -> None:
    param, optimizer = w.plan(PARAM), w.plan(OPTIMIZER)
    if name not in ("fsdp1", "fsdp2"):
        for path, key in ((PARAM, WEIGHTS_AT), (OPTIMIZER, OPTIMIZER_AT)):
            if w.plan(path) is True and name == "zero3":
                w.put(key, "cpu", path, always=True)
            else:
                stays = "nothing is moved to the CPU", "DDP keeps the whole model on its GPU"
                settle_known(w, path, w.plan(path) is not True, *stays)
    elif param is True or optimizer is True:
        note = "FSDP moves weights and optimizer to the CPU together" if param is not optimizer else ""
        paths = [path for path in (PARAM, OPTIMIZER) if w.plan(path) is not None]
        w.put(OFFLOADS, True, *paths, note=note, always=True)
    else:
        lose_known(w, State.DEFAULT, "nothing is moved to the CPU", PARAM, OPTIMIZER)


SCORER, BETA = P + "reference.gpus", ("beta",)
REFERENCE_GPUS = Where(
    When(lambda c: c.plan("stage.algorithm.kl_loss.enabled") is not False, "there is no penalty"),
    Behaves(SCORER, lambda c: c.plan(GPUS), "the trainer's processes", keys=BETA, kind=Kind.DERIVED, only_told=True, same=State.DERIVED),
    Behaves(SCORER, None, "GRPOTrainer loads no reference while beta is 0", keys=BETA, kind=Kind.DERIVED, only_told=True, state=State.DEFAULT),
)  # fmt: skip

ENGINE, MODE, TP = "use_vllm", "vllm_mode", "vllm_tensor_parallel_size"
GENERATES, LAYOUT, ENGINES, SIZE = P + "rollout.engine", P + "layout", P + "rollout.gpus", P + "rollout.tp"
SLEEP, HAS_SLEEP = "vllm_enable_sleep_mode", "0.23.0"
SERVED = "the engines are a server of its own, started with trl vllm-serve: how many GPUs it has is not told"


def read_engines(r: ReadContext) -> None:
    """Engines in the trainer's processes, a server on GPUs of its own, or the trainer's own model generates."""
    used, mode = r.native(ENGINE), r.native(MODE)
    served = used is not False and mode == "server"
    r.set(GENERATES, used if isinstance(used, Expr) else "vllm" if used else "hf", ENGINE)
    r.set(LAYOUT, mode if isinstance(mode, Expr) else "disaggregated" if served else "colocated", ENGINE, MODE)
    if served:
        r.inactive[TP] = "the server has a size of its own: trl vllm-serve --tensor_parallel_size"
        _read_server(r)
        return
    r.set(ENGINES, r.plan(GPUS), ENGINE, MODE, kind=Kind.DERIVED, how="on the trainer's GPUs")
    if used is False:
        r.inactive.update(dict.fromkeys((MODE, TP), "use_vllm is false: the trainer's own model generates"))
    r.set(SIZE, r.native(TP) if used is not False else 1, TP)


def _read_server(r: ReadContext) -> None:
    """The server's GPUs and sizes by its own options, where the script that starts the trainer starts it too."""
    options = r.facts.server
    if options is None:
        gpus = from_environment(r, "VLLM_SERVER_GPUS")
        r.set(ENGINES, gpus, ENGINE, MODE, how=SERVED)
        r.set(
            SIZE, 1, kind=Kind.DEFAULT, how="trl vllm-serve takes --tensor_parallel_size 1 unless it is told otherwise"
        )
        if isinstance(gpus, Var):
            r.note(SERVED)
        return
    size, copies = options.get("tensor_parallel_size", 1), options.get("data_parallel_size", 1)
    how = f"trl vllm-serve --tensor_parallel_size {formula(size)} --data_parallel_size {formula(copies)}"
    r.set(ENGINES, arith("*", size, copies), ENGINE, MODE, kind=Kind.DERIVED, how=how)
    r.set(SIZE, size, MODE, kind=Kind.DERIVED, how=how)


def write_engines(w: WriteContext) -> None:
    """Engines in the trainer's processes, or a server that a command of its own starts."""
    engine, layout, gpus, tp = (w.plan(path) for path in (GENERATES, LAYOUT, ENGINES, SIZE))
    if engine is not None:
        note = "" if engine in ("vllm", "hf") else f"TRL generates with vLLM, where the source has {formula(engine)}"
        w.put(ENGINE, engine != "hf", GENERATES, note=note, always=True)
    if isinstance(layout, Expr):
        leave_open(w, MODE, "where the engines are depends on a value the source does not tell", LAYOUT)
    elif layout in ("disaggregated", "lendable"):
        _write_server(w, gpus, tp, lent=layout == "lendable")
        return
    elif layout is not None:
        w.put(MODE, "colocate", LAYOUT, always=engine != "hf")
        if not w.same_framework and engine != "hf" and w.since(HAS_SLEEP):
            w.put(SLEEP, True, always=True, how="engines give their memory back while the trainer runs")
    settle_known(w, ENGINES, gpus == w.plan(GPUS), "the trainer's GPUs", alike=State.DERIVED)
    if tp is not None and engine != "hf":
        _write_tp(w, tp)
    else:
        lose_known(w, State.DERIVED, "the trainer's own model generates", SIZE)


def _write_server(w: WriteContext, gpus: Any, tp: Any, *, lent: bool) -> None:
    keeps = "TRL's server keeps its GPUs, which the source lends to the trainer"
    note = keeps if lent else ""
    w.put(MODE, "server", LAYOUT, note=note, always=True)
    sizes = f"--tensor_parallel_size {formula(tp)}" if tp is not None else "its own sizes"
    why = f"the engines are a server on GPUs of its own: {formula(gpus)} in the source"
    w.decide(MODE, why, f"start `trl vllm-serve --model ...` with {sizes} on those GPUs, before the trainer")
    lose_known(w, State.NARROWED, "an option of the server: trl vllm-serve", ENGINES, SIZE)


def _write_tp(w: WriteContext, tp: Any) -> None:
    """Engines take whole groups of processes: the largest size up to the source's that divides them."""
    processes = w.plan(GPUS)
    fits = divisor_of(processes, tp)
    note = f"{tp} does not divide {PROCESSES} {processes}" if fits != tp else ""
    w.put(TP, fits, SIZE, state=State.ROUNDED if note else State.EXACT, note=note, always=True)


DEVICE, SLICES, ACCUMULATES = "per_device_train_batch_size", "steps_per_generation", "gradient_accumulation_steps"


def _requests(c: Context) -> Any:
    """Return a device's completions of all slices, for the processes that one engine takes them of."""
    slices = c.effective(SLICES) or c.effective(ACCUMULATES)
    return arith("*", arith("*", c.effective(DEVICE), c.effective(TP)), slices)


BESIDE_TRAINER = When(
    lambda c: c.plan(GENERATES) == "vllm" and c.plan(LAYOUT) == "colocated", "the engine is no part of the trainer's processes"
)  # fmt: skip
TAKES = "the engine takes the completions of its processes at once, 4096 tokens a step"
REQUESTS, TOKENS = P + "rollout.max_num_seqs", P + "rollout.max_batched_tokens"
LIMITS = Where(
    BESIDE_TRAINER,
    together(
        Behaves(REQUESTS, _requests, "vllm_generation: max_num_seqs", TAKES, keys=(DEVICE, TP, ACCUMULATES), kind=Kind.DERIVED, only_told=True),
        Behaves(TOKENS, 4096, "vllm_generation: max_num_batched_tokens=4096", TAKES, only_told=True),
        why="trl/generation/vllm_generation.py: max_num_seqs, max_num_batched_tokens",
    ),
    together(
        *(Behaves(path, None, TAKES, only_told=True) for path in (REQUESTS, TOKENS)), why="trl vllm-serve has limits of its own"
    ),
)  # fmt: skip
ADAPTERS = Adapters("lora_r", "lora_alpha", "lora_target_modules", switch="use_peft")
