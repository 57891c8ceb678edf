"""Folds of TRL for the GPUs of trainer and engines, for adapters, and for data sets."""

from __future__ import annotations

from rftconf.base.symbols import Expr, Var, arith
from rftconf.mappers.context import ReadContext
from rftconf.mappers.trl.folds_batch import KIND, P, from_environment
from rftconf.plan.origin import Kind

STAGE, OPTIMIZER_AT, WEIGHTS_AT = "zero_stage", "offload_optimizer_device", "offload_param_device"
VERSION, FSDP_OFFLOADS = "fsdp_version", "fsdp_offload_params"
LAUNCHED = (
    KIND,
    STAGE,
    OPTIMIZER_AT,
    WEIGHTS_AT,
    VERSION,
    FSDP_OFFLOADS,
    "use_deepspeed",
    "use_fsdp",
    "deepspeed",
    "fsdp",
)


def read_reference(r: ReadContext) -> None:
    """The reference stands on the trainer's processes, where a penalty asks for one."""
    r.set(P + "reference.gpus", r.plan(P + "actor.gpus") if r.native("beta") != 0 else None, "beta", kind=Kind.DERIVED)


def read_trainer(r: ReadContext) -> None:
    """DeepSpeed or FSDP, as the launcher or the arguments say; else each process has the whole model (DDP)."""
    kind = str(r.native(KIND) or "").upper()
    deepspeed = kind == "DEEPSPEED" or r.native("use_deepspeed") is True or r.native("deepspeed") is not None
    sharded = kind == "FSDP" or r.native("use_fsdp") is True or bool(r.native("fsdp"))
    backend = "deepspeed" if deepspeed else ("fsdp2" if r.native(VERSION) == 2 else "fsdp") if sharded else "ddp"
    r.set(P + "actor.backend", backend, *LAUNCHED)
    r.set(P + "reference.backend", backend, *LAUNCHED)
    r.set(
        P + "actor.offload.param",
        r.native(WEIGHTS_AT) == "cpu" or r.native(FSDP_OFFLOADS) is True,
        WEIGHTS_AT,
        FSDP_OFFLOADS,
    )
    r.set(
        P + "actor.offload.optimizer",
        r.native(OPTIMIZER_AT) == "cpu" or r.native(FSDP_OFFLOADS) is True,
        OPTIMIZER_AT,
        FSDP_OFFLOADS,
    )
    whole = r.plan(P + "actor.gpus")
    r.set(P + "actor.fsdp_shard_gpus", whole if sharded else None, KIND, VERSION)


ENGINE, MODE, TP = "use_vllm", "vllm_mode", "vllm_tensor_parallel_size"
SERVER = "vllm_server_base_url"
SERVED = "the engines are a server of its own, started with trl vllm-serve: how many GPUs it has is not told"


def read_engines(r: ReadContext) -> None:
    """Engines in the trainer's processes, a server on GPUs of its own, or the trainer's own model generates."""
    used, mode = r.native(ENGINE), r.native(MODE)
    served = used is not False and mode == "server"
    r.set(P + "rollout.engine", used if isinstance(used, Expr) else "vllm" if used else "hf", ENGINE)
    r.set(P + "layout", mode if isinstance(mode, Expr) else "disaggregated" if served else "colocated", ENGINE, MODE)
    if served:
        r.inactive[TP] = "the server has a size of its own: trl vllm-serve --tensor_parallel_size"
        gpus = from_environment(r, "VLLM_SERVER_GPUS")
        r.set(P + "rollout.gpus", gpus, ENGINE, MODE, how=SERVED)
        r.set(P + "rollout.tp", None)
        if isinstance(gpus, Var):
            r.note(SERVED)
        return
    r.set(P + "rollout.gpus", r.plan(P + "actor.gpus"), ENGINE, MODE, kind=Kind.DERIVED, how="on the trainer's GPUs")
    if used is False:
        r.inactive.update(dict.fromkeys((MODE, TP), "use_vllm is false: the trainer's own model generates"))
    r.set(P + "rollout.tp", r.native(TP) if used is not False else 1, TP)


def read_limits(r: ReadContext) -> None:
    """An engine in the trainer's processes takes a device's completions of all slices at once, in 4096 tokens."""
    if r.native(ENGINE) is not True or r.native(MODE) != "colocate":
        r.set(P + "rollout.max_num_seqs", None)
        r.set(P + "rollout.max_batched_tokens", None)
        return
    slices = r.native("steps_per_generation") or r.native("gradient_accumulation_steps")
    most = arith("*", arith("*", r.native("per_device_train_batch_size"), r.native(TP)), slices)
    how = "vllm_generation: max_num_seqs"
    r.set(
        P + "rollout.max_num_seqs",
        most,
        "per_device_train_batch_size",
        TP,
        "gradient_accumulation_steps",
        kind=Kind.DERIVED,
        how=how,
    )
    r.set(P + "rollout.max_batched_tokens", 4096, kind=Kind.DEFAULT, how="vllm_generation: max_num_batched_tokens=4096")


PEFT, RANK, ALPHA, TARGETS = "use_peft", "lora_r", "lora_alpha", "lora_target_modules"
LORA = "stage.model_options.lora."


def read_adapters(r: ReadContext) -> None:
    """Adapters where use_peft is on; without it the rank says nothing."""
    used = r.native(PEFT)
    if used is False:
        r.inactive.update(dict.fromkeys((RANK, ALPHA, TARGETS), "there are no adapters: use_peft is false"))
        r.set(LORA + "rank", None, PEFT)
        return
    targets = r.native(TARGETS)
    r.set(LORA + "rank", r.native(RANK), PEFT, RANK)
    r.set(LORA + "alpha", r.native(ALPHA), ALPHA)
    # ModelConfig.__post_init__ takes the one module out of its list
    r.set(LORA + "targets", targets[0] if isinstance(targets, list) and len(targets) == 1 else targets, TARGETS)


D = "stage.data."
NAME, CONFIG, TRAIN, TEST, EVALUATES = (
    "dataset_name", "dataset_config", "dataset_train_split", "dataset_test_split", "eval_strategy"
)  # fmt: skip
NAMED = (NAME, CONFIG, TRAIN, TEST)


def read_data(r: ReadContext) -> None:
    """One data set of the hub, or a mixture, which wins where both are named (trl/scripts/grpo.py: main)."""
    count = r.source.count("datasets")
    for index in range(count):
        at = f"datasets[{index}]."
        path = f"{D}train[{index}]."
        for field, key in (("uri", "path"), ("subset", "name"), ("split", "split")):
            r.set(path + field, r.native(at + key, "train" if key == "split" else None), at + key)
        _set_column(r, path)
    if count:
        r.set(D + "mixing", "concat", "datasets[].path")
        r.inactive.update(dict.fromkeys((NAME, CONFIG, TRAIN), "datasets is written: it names the data"))
        return
    _read_set(r, "train", TRAIN)
    if r.native(EVALUATES) not in ("no", None):
        _read_set(r, "eval", TEST)
    else:
        r.inactive[TEST] = f"nothing is evaluated: {EVALUATES} is no"


def _read_set(r: ReadContext, listed: str, split: str) -> None:
    name = r.native(NAME)
    if name is None:
        return
    path = f"{D}{listed}[0]."
    for field, key in (("uri", NAME), ("subset", CONFIG), ("split", split)):
        r.set(path + field, r.native(key), key)
    _set_column(r, path)


def _set_column(r: ReadContext, path: str) -> None:
    r.set(path + "keys.prompt", "prompt", kind=Kind.DEFAULT, how="GRPOTrainer reads this column")
