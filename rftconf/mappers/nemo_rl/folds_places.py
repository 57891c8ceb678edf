"""NeMo-RL's trainers, engines and micro-batches: who has which GPUs, and what either trainer's block says."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.ahead import RunsAhead
from rftconf.mappers.backends import OneOf, SwitchedBackends
from rftconf.mappers.context import Context, WriteContext
from rftconf.mappers.copies import Items
from rftconf.mappers.engine_gpus import EngineGpus
from rftconf.mappers.filled_batches import Filled, FilledBatches
from rftconf.mappers.filters import EqualGroups
from rftconf.mappers.lora import Adapters
from rftconf.mappers.nemo_rl import conditions as on
from rftconf.mappers.nemo_rl.folds_algorithm import CORRECTION
from rftconf.mappers.precedence import While
from rftconf.mappers.products import TimesAnother
from rftconf.mappers.shapes import Behaves, Pair, together
from rftconf.mappers.shared_lengths import SharedLengths
from rftconf.mappers.statements import Refused, Stated
from rftconf.mappers.torch_schedules import CountedSchedule, TorchSchedules
from rftconf.plan.origin import Kind

B, P, A, M = "stage.batch.", "stage.placement.", "stage.optim.actor.", "stage.model_options."
T, D, G = "policy.", on.DTENSOR + ".", "policy.generation."
MC, MO, MS = (f"{on.MCORE}.{part}" for part in ("", "optimizer.", "scheduler."))
BACKENDS = SwitchedBackends("NeMo-RL", {"fsdp2": D + "enabled", "megatron": MC + "enabled"})
ENGINES = EngineGpus(
    "NeMo-RL", G + "colocated.enabled", G + "colocated.resources.gpus_per_node", G + "colocated.resources.num_nodes",
    ("cluster.num_nodes", "cluster.gpus_per_node"),
)  # fmt: skip


def _filled(block: str) -> Filled:
    """A switch that fills micro-batches, with its tokens of training and of scoring."""
    tokens = {"micro": f"{T}{block}.train_mb_tokens", "log_prob": f"{T}{block}.logprob_mb_tokens"}
    return Filled(f"{T}{block}.enabled", tokens)


BATCHES = FilledBatches(
    "NeMo-RL",
    {"micro": T + "train_micro_batch_size", "log_prob": T + "logprob_batch_size"},
    _filled("sequence_packing"),
    _filled("dynamic_batching"),
    alike={"reference": "log_prob"},
)


def _of(megatron: str, sharded: str, path: str, default: object = None) -> OneOf:
    """A field that the block of either trainer tells by one key."""
    return OneOf(on.MEGATRON, Pair(megatron, path, default), Pair(sharded, path, default), on.IDLE)


def _role(c: Context, name: str) -> object:
    """The actor's value, for a reference that is there: both are one program."""
    return c.plan(f"{P}actor.{name}") if on.PENALISED.test(c) else None


REFERENCE = tuple(
    Behaves(f"{P}reference.{name}", (lambda c, name=name: _role(c, name)), "the policy's workers hold the reference",
            "the reference is sharded as the policy is", kind=Kind.DERIVED, only_told=True)
    for name in ("gpus", "backend", "mesh.tp", "mesh.cp", "megatron.tp", "megatron.pp", "megatron.cp", "megatron.ep", "megatron.etp")
)  # fmt: skip
WAITS = "policy_worker: offload_before_refit and offload_after_refit while engines share the GPUs"


def _shares(c: Context) -> object:
    """True where weights and optimizer wait in host memory while engines generate."""
    layout = c.plan(P + "layout")
    return None if layout is None else layout == "colocated"


OFFLOAD = tuple(
    Behaves(f"{P}actor.offload.{name}", _shares, WAITS, "weights and optimizer wait in host memory exactly while engines share GPUs",
            keys=(G + "colocated.enabled",), kind=Kind.DERIVED, only_told=True)
    for name in ("param", "optimizer")
)  # fmt: skip
AHEAD = RunsAhead(
    "grpo.async_grpo.enabled", "grpo.async_grpo.max_trajectory_age_steps", "grpo.async_grpo.in_flight_weight_updates"
)


def _ahead(w: Context) -> bool:
    return w.plan("stage.sync.run_ahead_rollouts") not in (0, None)


ADAPTERS = OneOf(
    on.MEGATRON,
    Adapters(MC + "peft.dim", MC + "peft.alpha", MC + "peft.target_modules", MC + "peft.enabled",
             more=tuple(f"{MC}peft.{name}" for name in ("exclude_modules", "dropout", "dropout_position", "lora_A_init_method", "lora_B_init_method"))),
    Adapters(D + "lora_cfg.dim", D + "lora_cfg.alpha", D + "lora_cfg.target_modules", D + "lora_cfg.enabled",
             more=tuple(f"{D}lora_cfg.{name}" for name in ("exclude_modules", "dropout", "dropout_position", "lora_A_init", "match_all_linear"))),
    on.IDLE,
)  # fmt: skip
SCHEDULES = OneOf(
    on.MEGATRON,
    CountedSchedule(MS + "lr_decay_style", MS + "lr_warmup_iters", MS + "lr_decay_iters", MO + "min_lr", MS + "lr_warmup_init"),
    TorchSchedules(T + "scheduler", "NeMo-RL"),
    on.IDLE,
)  # fmt: skip
BETAS = OneOf(
    on.MEGATRON,
    Items((MO + "adam_beta1", MO + "adam_beta2"), A + "betas"),
    Pair(T + "optimizer.kwargs.betas", A + "betas"),
    on.IDLE,
)
LIMITS = tuple(
    Pair(f"{G}vllm_kwargs.{key}", f"{P}rollout.{name}", unlisted=True)
    for key, name in (("max_num_seqs", "max_num_seqs"), ("max_num_batched_tokens", "max_batched_tokens"))
)
"""vLLM takes these beside NeMo-RL's own keys (vllm_worker.py: _create_engine)."""


def _unequal_shares(w: WriteContext) -> str:
    """Return a sentence where GPUs get unequal parts of an update; it is empty elsewhere, and where a number is not known."""
    update, shares = w.plan(B + "sequences_per_update"), w.plan(P + "layout") == "colocated"
    gpus = w.plan(P + "actor.gpus") if shares else ENGINES.left(w)
    if not isinstance(update, int) or not isinstance(gpus, int) or gpus <= 0:
        return ""
    sizes = ("megatron.tp", "megatron.pp", "megatron.cp") if on.MEGATRON.test(w) else ("mesh.tp", "mesh.cp")
    ranks: Any = gpus
    for size in sizes:
        ranks = arith("//", ranks, w.plan(f"{P}actor.{size}") or 1)
    whole = isinstance(ranks, Expr) or ranks <= 0 or update % ranks == 0
    return (
        ""
        if whole
        else f"an update takes {update} sequences, and {formula(ranks)} ranks have no equal shares of it: NeMo-RL stops"
    )


TORN = Refused(
    lambda w: bool(_unequal_shares(w)),
    _unequal_shares,
    ("an update that the ranks divide", "another number of GPUs that train"),
)


def _partial_update(w: WriteContext) -> str:
    """Return a sentence where a step is no whole number of updates; it is empty elsewhere, and where a number is not known."""
    prompts, each = w.plan(B + "prompts_per_rollout"), w.plan(B + "responses_per_prompt")
    update = w.plan(B + "sequences_per_update")
    known = isinstance(prompts, int) and isinstance(each, int) and isinstance(update, int) and update > 0
    uneven = known and prompts * each % update
    return (
        f"a step has {prompts * each} answers, no whole number of updates of {update}: NeMo-RL stops" if uneven else ""
    )


UNEVEN = Refused(
    lambda w: bool(_partial_update(w)),
    _partial_update,
    ("prompts that make whole updates", "updates that divide a step"),
)
FOLDS = (
    together(UNEVEN, why="batched_data_dict.py: shard_by_batch_size"),
    together(BACKENDS, why="nemo_rl/models/policy/lm_policy.py: Policy.__init__"),
    together(ENGINES, why="nemo_rl/algorithms/grpo.py: setup, Cluster"),
    together(TORN, why="batched_data_dict.py: shard_by_batch_size"),
    together(BATCHES, why="lm_policy.py: shard_by_batch_size; docs/design-docs/sequence-packing-and-dynamic-batching.md"),
    together(*REFERENCE, why="lm_policy.py: init_reference_model"),
    together(*OFFLOAD, why=WAITS),
    together(
        AHEAD,
        Stated(G + "vllm_cfg.async_engine", True, "engines that run ahead answer one request at a time (async_grpo_train asserts it)", holds=_ahead),
        Stated(CORRECTION.switch, True, "async_grpo_train asserts it", holds=_ahead),
        why="nemo_rl/algorithms/grpo.py: async_grpo_train",
    ),
    together(
        EqualGroups("NeMo-RL", "grpo.use_dynamic_sampling", ("grpo.dynamic_sampling_max_gen_batches", "grpo.batch_multiplier")),
        why="grpo.py: dynamic_sampling",
    ),
    together(While(on.FILTERED, TimesAnother("grpo.batch_multiplier", B + "prompts_per_fetch", B + "prompts_per_rollout")),
             why="grpo.py: setup, dataloader_batch_size"),
    together(_of(MO + "lr", T + "optimizer.kwargs.lr", A + "lr"), why="the optimizer of either trainer"),
    together(_of(MO + "weight_decay", T + "optimizer.kwargs.weight_decay", A + "weight_decay"), why="the optimizer of either trainer"),
    together(BETAS, why="the optimizer of either trainer"),
    together(SCHEDULES, why="policy_worker: scheduler.step() once a train call (H89)"),
    together(_of(MC + "activation_checkpointing", D + "activation_checkpointing", M + "gradient_checkpointing"), why="the model of either trainer"),
    together(ADAPTERS, why="lora_cfg of Automodel; peft of Megatron-Bridge"),
    together(
        SharedLengths(T + "max_total_sequence_length", G + "max_new_tokens", "data.max_input_seq_length", (G + "vllm_cfg.max_model_len",)),
        why="run_multi_turn_rollout: max_seq_len; vllm_worker: max_model_len, max_tokens; data/processors.py: length >= max_seq_length (H90)",
    ),
    *(together(limit, why="vllm_worker.py: vllm_kwargs", when=on.VLLM) for limit in LIMITS),
)  # fmt: skip
"""Each says both directions at once."""
