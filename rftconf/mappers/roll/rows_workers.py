"""ROLL rows: what each role does with its GPUs. Declared once, placed under each role."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rftconf.base.symbols import Expr
from rftconf.mappers.codecs import Put, negated, same
from rftconf.mappers.context import When
from rftconf.mappers.roll import conditions as on
from rftconf.mappers.roll.rows_run import DTYPES
from rftconf.mappers.rows import Row, rows_of
from rftconf.mappers.rows_for_role import rows_for_role
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run, Worker
    from rftconf.schemas.roll.model import ActorTrain, ActorTrainStrategyArgsStrategyConfig, Roll

row = rows_of["Roll", "Run"]()
worker = rows_of["ActorTrain", "Worker"]()
config = rows_of["ActorTrainStrategyArgsStrategyConfig", "Worker"]()


FSDP_BLOCK = (
    config(lambda f: f.fsdp_size, lambda w: w.fsdp_shard_gpus, on.SHARD_SIZE, default=None, always=True, why="fsdp2_strategy: create_device_mesh_with_ep"),
    config(lambda f: f.reshard_after_forward, lambda w: w.reshard_after_forward, same, default=True, why="fsdp2_strategy: fully_shard"),
    config(lambda f: f.offload_policy, lambda w: w.offload_policy, same, default=False, why="fsdp2_strategy: CPUOffloadPolicy"),
    config(lambda f: f.param_dtype, lambda w: w.compute_dtype, DTYPES, default="bf16", why="fsdp2_strategy: MixedPrecisionPolicy"),
)  # fmt: skip

MEGATRON_BLOCK = (
    config(lambda m: m.tensor_model_parallel_size, lambda w: w.megatron.tp, same, default=1, why="mcore_adapter: TrainingArguments"),
    config(lambda m: m.pipeline_model_parallel_size, lambda w: w.megatron.pp, same, default=1, why="mcore_adapter: TrainingArguments"),
    config(lambda m: m.virtual_pipeline_model_parallel_size, lambda w: w.megatron.vpp, same, default=None, why="mcore_adapter: TrainingArguments"),
    config(lambda m: m.context_parallel_size, lambda w: w.megatron.cp, same, default=1, why="mcore_adapter: TrainingArguments"),
    config(lambda m: m.expert_model_parallel_size, lambda w: w.megatron.ep, same, default=1, why="mcore_adapter: TrainingArguments"),
    config(lambda m: m.expert_tensor_parallel_size, lambda w: w.megatron.etp, same, default=None, why="mcore_adapter: TrainingArguments"),
    config(lambda m: m.sequence_parallel, lambda w: w.megatron.sequence_parallel, same, default=False, why="mcore_adapter: TrainingArguments"),
    config(lambda m: m.use_distributed_optimizer, lambda w: w.megatron.distributed_optimizer, same, default=False,
           why="mcore_adapter: TrainingArguments"),
)  # fmt: skip


def _blocks(role: str, plan: str, fsdp: When, megatron: When, *, alias: bool = False) -> tuple[Row, ...]:
    section = f"{role}.strategy_args.strategy_config"
    rows = (
        *rows_for_role(FSDP_BLOCK, native=section, plan=plan, when=fsdp),
        *rows_for_role(MEGATRON_BLOCK, native=section, plan=plan, when=megatron),
    )
    return tuple(replace(r, alias=True) for r in rows) if alias else rows


WORKER_ROWS = (
    row(lambda c: c.actor_train.model_args.ulysses_size, lambda p: p.stage.placement.actor.sp, same, when=on.ACTOR_FSDP,
        why="fsdp2_strategy: Ulysses group"),
    row(lambda c: c.sft_train.model_args.ulysses_size, lambda p: p.stage.placement.actor.sp, same, when=on.SFT_FSDP, alias=True,
        why="fsdp2_strategy: Ulysses group"),
    row(lambda c: c.student.model_args.ulysses_size, lambda p: p.stage.placement.actor.sp, same, when=on.STUDENT_FSDP, alias=True,
        why="fsdp2_strategy: Ulysses group"),
    row(lambda c: c.reference.model_args.ulysses_size, lambda p: p.stage.placement.reference.sp, same, when=on.REFERENCE_FSDP,
        why="fsdp2_strategy: Ulysses group"),
    row(lambda c: c.critic.model_args.ulysses_size, lambda p: p.stage.placement.critic.sp, same, when=on.CRITIC_FSDP,
        why="fsdp2_strategy: Ulysses group"),
    row(lambda c: c.actor_train.model_args.disable_gradient_checkpointing, lambda p: p.stage.model_options.gradient_checkpointing, negated(),
        when=on.ACTOR_FSDP, why="model_providers: HF and FSDP2 models"),
    row(lambda c: c.sft_train.model_args.disable_gradient_checkpointing, lambda p: p.stage.model_options.gradient_checkpointing, negated(),
        when=on.SFT_FSDP, alias=True, why="model_providers: HF and FSDP2 models"),
    row(lambda c: c.student.model_args.disable_gradient_checkpointing, lambda p: p.stage.model_options.gradient_checkpointing, negated(),
        when=on.STUDENT_FSDP, alias=True, why="model_providers: HF and FSDP2 models"),
    row(lambda c: c.critic.model_args.disable_gradient_checkpointing, lambda p: p.stage.model_options.critic_gradient_checkpointing,
        negated(), when=on.CRITIC_FSDP, why="model_providers: HF and FSDP2 models"),
    row(lambda c: c.actor_train.use_sequence_packing, lambda p: p.stage.model_options.remove_padding, same, when=on.ACTOR_PACKS,
        absent=False, why="megatron_strategy: packs sequences instead of padding them"),
    row(lambda c: c.student.use_sequence_packing, lambda p: p.stage.model_options.remove_padding, same, when=on.STUDENT_MEGATRON,
        absent=False, alias=True, why="megatron_strategy: packs sequences instead of padding them"),
    row(lambda c: c.critic.use_sequence_packing, lambda p: p.stage.model_options.critic_remove_padding, same, when=on.CRITIC_MEGATRON,
        absent=False, why="megatron_strategy: packs sequences instead of padding them"),
    row(lambda c: c.actor_train.model_args.dtype, lambda p: p.stage.placement.actor.megatron.dtype, DTYPES, when=on.ACTOR_MEGATRON,
        why="worker_config: training_args.bf16 or fp16"),
    row(lambda c: c.sft_train.model_args.dtype, lambda p: p.stage.placement.actor.megatron.dtype, DTYPES, when=on.SFT_MEGATRON, alias=True,
        why="worker_config: training_args.bf16 or fp16"),
    row(lambda c: c.student.model_args.dtype, lambda p: p.stage.placement.actor.megatron.dtype, DTYPES, when=on.STUDENT_MEGATRON, alias=True,
        why="worker_config: training_args.bf16 or fp16"),
    *_blocks("actor_train", "stage.placement.actor", on.ACTOR_FSDP, on.ACTOR_MEGATRON),
    *_blocks("sft_train", "stage.placement.actor", on.SFT_FSDP, on.SFT_MEGATRON, alias=True),
    *_blocks("student", "stage.placement.actor", on.STUDENT_FSDP, on.STUDENT_MEGATRON, alias=True),
    *_blocks("reference", "stage.placement.reference", on.REFERENCE_FSDP, on.REFERENCE_MEGATRON),
    *_blocks("critic", "stage.placement.critic", on.CRITIC_FSDP, on.CRITIC_MEGATRON),
)  # fmt: skip
