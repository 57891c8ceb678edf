"""Settings that decide how much memory a role holds: where a role has them, what they are called, where a plan has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

from rftconf.base.record import record
from rftconf.budget.roles.micro_batches import Micro
from rftconf.budget.roles.roles import EngineRole, Setup, TrainerRole
from rftconf.budget.terms.engine import Engine
from rftconf.budget.terms.training_job import MegatronSizes

PLACE = "stage.placement.{role}."
MEGATRON = "stage.placement.{role}.megatron."
MODEL = "stage.model_options."
OWN = "stage.model_options.{critic_}"


@record
class MemorySetting:
    """`parts` of a role that one setting decides, by their names (`job.sp`), and how people say it (`says`).

    `plan` are the fields of a plan that it is read from; to be filled in are `{role}` (its name), `{critic_}` (a critic's
    own prefix), `{path}` (an engine's), `{micro}` and `{infer}` (the micro-batches of updates and forwards).
    """

    name: str
    parts: tuple[str, ...]
    says: Callable[[Any], str]
    plan: tuple[str, ...] = ()

    def in_run(self, run: Setup, setup: Setup) -> Setup:
        """`run` with what `setup` has of this, for a setting of the whole run."""
        if self.parts == ("layout",):
            return replace(run, layout=setup.layout)
        return replace(run, framework=setup.framework)

    def taken_from(self, role: Any, source: Any) -> Any:
        """`role` with what `source` has of this; a trainer's micro-batches follow."""
        changed = reduce(lambda value, part: _put(value, part.split("."), value_at(source, part)), self.parts, role)
        return changed.cut() if isinstance(changed, TrainerRole) else changed

    def differs(self, role: Any, theirs: Any) -> bool:
        """True where the two have something else."""
        return any(value_at(role, part) != value_at(theirs, part) for part in self.parts)


def value_at(whole: Any, part: str) -> Any:
    """Return a role's value at a path like `job.megatron.tp`; None below what is absent."""
    for name in part.split("."):
        whole = getattr(whole, name, None)
    return whole


def _put(whole: Any, names: list[str], value: Any) -> Any:
    first, *deeper = names
    below = getattr(whole, first)
    return replace(whole, **{first: _put(below, deeper, value) if deeper else value})


def _of_updates_and_forwards(*names: str) -> tuple[str, ...]:
    """Parts of a trainer's updates and of its forwards."""
    return tuple(f"{job}.{name}" for job in ("job", "scoring") for name in names)


def _tell_where(waits: Callable[[TrainerRole], bool]) -> Callable[[TrainerRole], str]:
    return lambda role: "in host memory" if waits(role) else "on the GPU"


def _yes(part: str) -> Callable[[Any], str]:
    return lambda role: "on" if value_at(role, part) else "off"


def _plain(part: str) -> Callable[[Any], str]:
    return lambda role: f"{value_at(role, part):,}" if type(value_at(role, part)) is int else str(value_at(role, part))


def _sharded(role: TrainerRole) -> str:
    ways = role.job.ways
    return f"{role.job.gpus}" if ways == role.job.gpus else f"{role.job.gpus}, states over {ways}"


def _back_end(role: TrainerRole) -> str:
    job = role.job
    return f"DeepSpeed's stage {job.zero_stage}" if job.backend == "zero" else job.backend


def _tell_tokens_with_logits(role: TrainerRole) -> str:
    return "all" if role.job.head_share == 1 else "the answer's"


def _recompute(role: TrainerRole) -> str:
    job = role.job
    if job.backend == "megatron":
        return job.megatron.recompute
    checkpoints = " with checkpoints in host memory" if job.offload_activations else ""
    return f"every layer{checkpoints}" if job.checkpointing else "none"


def _sizes(role: TrainerRole) -> str:
    m: MegatronSizes = role.job.megatron
    named = {"TP": m.tp, "PP": m.pp, "VPP": m.vpp, "CP": m.cp, "EP": m.ep, "ETP": m.etp}
    return " ".join(f"{name}{size}" for name, size in named.items() if size > 1) or "none"


def _adapter(role: TrainerRole) -> str:
    return f"rank {role.job.adapter.rank}" if role.job.adapter else "none"


def _micro(name: str) -> Callable[[TrainerRole], str]:
    def say(role: TrainerRole) -> str:
        micro: Micro | None = getattr(role, name)
        if micro is None:
            return "one"
        tokens = role.job.tokens if name == "micro" else role.scoring.tokens
        return f"{tokens:,} tokens" if micro.rows is None else f"{micro.rows} x {micro.each:,} tokens"

    return say


def _splits(role: EngineRole) -> str:
    e: Engine = role.engine
    named = {"TP": e.tp, "PP": e.pp, "DP": e.dp, "EP": e.ep}
    return " ".join(f"{name}{size}" for name, size in named.items() if size > 1) or "none"


def _separate(role: EngineRole) -> str:
    return "of its own" if role.own_pool else f"those of {', '.join(role.beside)}" if role.beside else "shared"


_MICRO = ("tokens_per_rank", "sequences_per_rank", "dynamic")
_RECOMPUTE = ("recompute", "recompute_modules", "recompute_block", "recompute_unit")
_SIZES = ("tp", "pp", "vpp", "cp", "ep", "etp", "first_stage_layers", "last_stage_layers", "chunks")

OF_RUNS = (
    MemorySetting(
        "a role is",
        ("processes", "together"),
        lambda run: "a process of its own" if run.processes else "one of a process",
    ),
    MemorySetting("engines and trainers", ("layout",), lambda run: str(run.layout), ("stage.placement.layout",)),
)
"""What decides it for every role of a run."""

OF_TRAINERS = (
    MemorySetting("GPUs", _of_updates_and_forwards("gpus", "shard"), _sharded, (PLACE + "gpus", PLACE + "fsdp_shard_gpus")),
    MemorySetting("engine", _of_updates_and_forwards("backend", "implementation", "zero_stage", "stream_bytes"), _back_end,
          (PLACE + "backend", PLACE + "zero_stage")),
    MemorySetting("bytes of a weight", _of_updates_and_forwards("master_bytes"), _plain("job.master_bytes"), (PLACE + "model_dtype",)),
    MemorySetting("weights between its turns", ("parked_weights",), _tell_where(lambda r: r.parked_weights),
          (PLACE + "offload.param",)),
    MemorySetting("optimizer between its turns", ("parked_optimizer",), _tell_where(lambda r: r.parked_optimizer),
          (PLACE + "offload.optimizer",)),
    MemorySetting("weights at work", _of_updates_and_forwards("offload_parameters", "offload_gradients"),
          _tell_where(lambda r: r.job.offload_parameters), (PLACE + "offload_policy", PLACE + "offload.param")),
    MemorySetting("optimizer at work", _of_updates_and_forwards("offload_optimizer"), _tell_where(lambda r: r.job.offload_optimizer),
          (PLACE + "offload_policy",)),
    MemorySetting("GPUs of a sequence", _of_updates_and_forwards("sp"), _plain("job.sp"), (PLACE + "sp", PLACE + "mesh.cp")),
    MemorySetting("GPUs of the experts", _of_updates_and_forwards("ep"), _plain("job.ep"), (PLACE + "mesh.ep",)),
    MemorySetting("recompute", _of_updates_and_forwards("checkpointing", "offload_activations", "reshard_after_forward",
                             *(f"megatron.{name}" for name in _RECOMPUTE)), _recompute,
          (OWN + "gradient_checkpointing", OWN + "activation_offload",
           *(f"{MEGATRON}{name}" for name in _RECOMPUTE))),
    MemorySetting("parallel sizes", _of_updates_and_forwards(*(f"megatron.{name}" for name in _SIZES)), _sizes,
          tuple(f"{MEGATRON}{name}" for name in _SIZES)),
    MemorySetting("sequence parallelism", _of_updates_and_forwards("megatron.sequence_parallel"), _yes("job.megatron.sequence_parallel"),
          (PLACE + "megatron.sequence_parallel",)),
    MemorySetting("distributed optimizer", _of_updates_and_forwards("megatron.distributed_optimizer"), _yes("job.megatron.distributed_optimizer"),
          (PLACE + "megatron.distributed_optimizer",)),
    MemorySetting("entropy in the loss", _of_updates_and_forwards("entropy"), _yes("job.entropy"), ("stage.algorithm.entropy_coef",)),
    MemorySetting("tokens with logits", _of_updates_and_forwards("head_share"), _tell_tokens_with_logits, ()),
    MemorySetting("logits fused with the loss", _of_updates_and_forwards("fused_head"), _yes("job.fused_head"), (MODEL + "fused_kernels",)),
    MemorySetting("adapter", _of_updates_and_forwards("adapter"), _adapter, (MODEL + "lora.rank",)),
    MemorySetting("micro-batches are", ("flexible",), lambda r: "as full as sequences are long" if r.flexible else "full",
          (OWN + "remove_padding",)),
    MemorySetting("micro-batch of an update", ("micro",), _micro("micro"), tuple(f"{{micro}}.{name}" for name in _MICRO)),
    MemorySetting("micro-batch of a forward", ("infer",), _micro("infer"), tuple(f"{{infer}}.{name}" for name in _MICRO)),
)  # fmt: skip
"""What decides a trainer's or scorer's memory, in the order in which people look for it."""

OF_ENGINES = (
    MemorySetting("model", ("engine.architecture", "scorer"), lambda r: "a forward" if r.scorer else "an engine", ("{path}.path",)),
    MemorySetting("share of the GPU", ("engine.fraction",), _plain("engine.fraction"), ("{path}.gpu_memory_fraction",)),
    MemorySetting("engine", ("engine.name",), _plain("engine.name"), ("{path}.engine",)),
    MemorySetting("parallel sizes", ("engine.tp", "engine.pp", "engine.dp", "engine.ep"), _splits,
          tuple(f"{{path}}.{name}" for name in ("tp", "pp", "dp", "ep"))),
    MemorySetting("while others work", ("engine.sleeps", "parked"),
          lambda r: "asleep" if r.engine.sleeps or r.parked else "awake", ()),
    MemorySetting("GPUs", ("gpus", "own_pool", "beside"), lambda r: f"{r.gpus}, {_separate(r)}", ("{path}.gpus", "{path}.own_pool")),
    MemorySetting("tokens of a step", ("engine.max_batched_tokens",), _plain("engine.max_batched_tokens"),
          ("{path}.max_batched_tokens",)),
    MemorySetting("sequences at once", ("engine.max_num_seqs",), _plain("engine.max_num_seqs"), ("{path}.max_num_seqs",)),
    MemorySetting("longest sequence", ("engine.max_model_tokens",), _plain("engine.max_model_tokens"),
          ("stage.length.model_max_tokens",)),
    MemorySetting("CUDA graphs", ("engine.eager",), lambda r: "none" if r.engine.eager else "captured", ("{path}.enforce_eager",)),
    MemorySetting("bytes of a weight", ("engine.dtype_bytes",), _plain("engine.dtype_bytes"), ("{path}.dtype",)),
    MemorySetting("cache", ("engine.cache_bytes", "engine.block_tokens", "engine.prefix_cache"),
          lambda r: f"blocks of {r.engine.block_tokens} tokens", ("{path}.prefix_cache",)),
)  # fmt: skip
"""The same of what answers during rollout."""
