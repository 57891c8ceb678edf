"""veRL rows of the engines beside FSDP and Megatron: VeOmni's block and TorchTitan's, declared once for every role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import counts, same, words
from rftconf.mappers.context import When
from rftconf.mappers.rows import Row, rows_of
from rftconf.mappers.rows_for_role import rows_for_role
from rftconf.mappers.verl import conditions as on
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run, Worker
    from rftconf.schemas.verl.model import ActorRolloutRefActorTorchtitan, ActorRolloutRefActorVeomni, Verl

row = rows_of["Verl", "Run"]()
veomni = rows_of["ActorRolloutRefActorVeomni", "Worker"]()
titan = rows_of["ActorRolloutRefActorTorchtitan", "Worker"]()

VEOMNI = When(lambda c: c.backend == "veomni", "only the VeOmni trainer reads it (model_engine=veomni)")
TORCHTITAN = When(lambda c: c.backend == "torchtitan", "only the TorchTitan trainer reads it (model_engine=torchtitan)")
CRITIC_VEOMNI = When(lambda c: on.CRITIC.test(c) and c.backend == "veomni", "no VeOmni critic in this run")
CRITIC_TORCHTITAN = When(lambda c: on.CRITIC.test(c) and c.backend == "torchtitan", "no TorchTitan critic in this run")
REFERENCE_VEOMNI = When(
    lambda c: on.REFERENCE.test(c) and c.backend == "veomni", "there is no VeOmni reference model in this run"
)
REFERENCE_TORCHTITAN = When(
    lambda c: on.REFERENCE.test(c) and c.backend == "torchtitan", "there is no TorchTitan reference model in this run"
)
VEOMNI_DECAY = When(lambda c: VEOMNI.test(c) and on.COSINE.test(c), "read only by VeOmni's decaying schedules")
TORCHTITAN_DECAY = When(
    lambda c: TORCHTITAN.test(c) and on.COSINE.test(c), "read only by the decaying schedules of the TorchTitan trainer"
)
TORCHTITAN_SCHEDULES = words({name: name for name in ("linear", "sqrt", "cosine")})
"""What the rate decays by from the end of the warm-up to the end of the run."""

_MASTER = words({True: "fp32", False: "bf16"})
_RESHARDS = words({"default": True, "always": True, "never": False})

VEOMNI_BLOCK = (
    veomni(lambda v: v.param_offload, lambda w: w.offload.param, same, alias=True, why="VeOmniEngine: between its turns"),
    veomni(lambda v: v.optimizer_offload, lambda w: w.offload.optimizer, same, alias=True, why="VeOmniEngine: between its turns"),
    veomni(lambda v: v.enable_fsdp_offload, lambda w: w.offload_policy, same, alias=True, why="VeOmniEngine: FSDP2's CPUOffloadPolicy"),
    veomni(lambda v: v.enable_full_shard, lambda w: w.reshard_after_forward, same, alias=True,
           why="VeOmniEngineConfig: fully sharded also between forward and backward (ZeRO-3)"),
    veomni(lambda v: v.fsdp_size, lambda w: w.fsdp_shard_gpus, counts(Unit.GPUS, off=(-1,)), alias=True,
           why="VeOmniEngine: data_parallel_shard_size; -1 is all GPUs"),
    veomni(lambda v: v.ulysses_parallel_size, lambda w: w.sp, same, alias=True, why="VeOmniEngine: ulysses_size"),
    veomni(lambda v: v.expert_parallel_size, lambda w: w.mesh.ep, same,
           why="VeOmniEngine: extra_parallel_sizes, within the data-parallel GPUs"),
    veomni(lambda v: v.forward_prefetch, lambda w: w.forward_prefetch, same, alias=True, why="VeOmniEngine: build_parallelize_model"),
    veomni(lambda v: v.mixed_precision, lambda w: w.model_dtype, _MASTER, alias=True,
           why="VeOmniEngine: loads float32 with mixed precision, bfloat16 without"),
    veomni(lambda v: v.entropy_from_logits_with_chunking, lambda w: w.entropy_chunking, same, alias=True, absent=False, why="VeOmniEngine"),
    veomni(lambda v: v.entropy_checkpointing, lambda w: w.entropy_checkpointing, same, alias=True, absent=False, why="VeOmniEngine"),
    veomni(lambda v: v.seed, lambda w: w.seed, same, alias=True, why="VeOmniEngineConfig.seed"),
    veomni(lambda v: v.full_determinism, lambda w: w.full_determinism, same, alias=True, why="VeOmniEngine: enable_full_determinism"),
)  # fmt: skip

TORCHTITAN_BLOCK = (
    titan(lambda t: t.param_offload, lambda w: w.offload.param, same, alias=True, why="TorchTitanEngine: between its turns"),
    titan(lambda t: t.optimizer_offload, lambda w: w.offload.optimizer, same, alias=True, why="TorchTitanEngine: between its turns"),
    titan(lambda t: t.offload_policy, lambda w: w.offload_policy, same, alias=True, absent=False,
          why="TorchTitanEngine: TrainingConfig.enable_cpu_offload"),
    titan(lambda t: t.reshard_after_forward, lambda w: w.reshard_after_forward, _RESHARDS, alias=True,
          why="TorchTitanEngine: fsdp_reshard_after_forward; by default all but pipelines do"),
    titan(lambda t: t.forward_prefetch, lambda w: w.forward_prefetch, same, alias=True, why="TorchtitanEngineConfig"),
    titan(lambda t: t.use_orig_params, lambda w: w.use_orig_params, same, alias=True, why="TorchtitanEngineConfig"),
    titan(lambda t: t.wrap_policy.min_num_params, lambda w: w.min_wrap_params, same, alias=True, why="TorchtitanEngineConfig"),
    titan(lambda t: t.data_parallel_shard_size, lambda w: w.fsdp_shard_gpus, counts(Unit.GPUS), alias=True,
          why="TorchTitanEngine: ParallelDims.dp_shard"),
    titan(lambda t: t.tensor_parallel_size, lambda w: w.mesh.tp, same, why="TorchTitanEngine: ParallelDims.tp"),
    titan(lambda t: t.pipeline_parallel_size, lambda w: w.mesh.pp, same, why="TorchTitanEngine: ParallelDims.pp"),
    titan(lambda t: t.context_parallel_size, lambda w: w.mesh.cp, same, why="TorchTitanEngine: ParallelDims.cp"),
    titan(lambda t: t.expert_parallel_size, lambda w: w.mesh.ep, same, alias=True, why="TorchTitanEngine: ParallelDims.ep"),
    titan(lambda t: t.dtype, lambda w: w.compute_dtype, same, alias=True, why="EngineConfig.dtype"),
    titan(lambda t: t.entropy_from_logits_with_chunking, lambda w: w.entropy_chunking, same, alias=True, why="TorchTitanEngine"),
    titan(lambda t: t.entropy_checkpointing, lambda w: w.entropy_checkpointing, same, alias=True, why="TorchTitanEngine"),
    titan(lambda t: t.seed, lambda w: w.seed, same, alias=True, why="TorchtitanEngineConfig.seed"),
    titan(lambda t: t.full_determinism, lambda w: w.full_determinism, same, alias=True, why="TorchTitanEngine: enable_full_determinism"),
)  # fmt: skip

OTHER_ENGINE_ROWS: tuple[Row, ...] = (
    *rows_for_role(VEOMNI_BLOCK, native="actor_rollout_ref.actor.veomni", plan="stage.placement.actor", when=VEOMNI),
    *rows_for_role(VEOMNI_BLOCK, native="actor_rollout_ref.ref.veomni", plan="stage.placement.reference", when=REFERENCE_VEOMNI),
    *rows_for_role(VEOMNI_BLOCK, native="critic.veomni", plan="stage.placement.critic", when=CRITIC_VEOMNI),
    *rows_for_role(TORCHTITAN_BLOCK, native="actor_rollout_ref.actor.torchtitan", plan="stage.placement.actor", when=TORCHTITAN),
    *rows_for_role(TORCHTITAN_BLOCK, native="actor_rollout_ref.ref.torchtitan", plan="stage.placement.reference", when=REFERENCE_TORCHTITAN),
    *rows_for_role(TORCHTITAN_BLOCK, native="critic.torchtitan", plan="stage.placement.critic", when=CRITIC_TORCHTITAN),
    row(lambda c: c.actor_rollout_ref.actor.optim.lr_min, lambda p: p.stage.optim.actor.min_lr, same, when=VEOMNI_DECAY, alias=True,
        why="optim/veomni.yaml: floor of the decay"),
    row(lambda c: c.actor_rollout_ref.actor.optim.name, lambda p: p.stage.optim.actor.kind, on.OPTIMIZERS, when=TORCHTITAN, alias=True,
        why="TorchTitanEngine: ParamGroupConfig.optimizer_name"),
    row(lambda c: c.actor_rollout_ref.actor.optim.decay_type, lambda p: p.stage.optim.actor.schedule, TORCHTITAN_SCHEDULES,
        when=TORCHTITAN, alias=True, why="TorchTitanEngine: LRSchedulersContainer.decay_type"),
    row(lambda c: c.actor_rollout_ref.actor.optim.min_lr_factor, lambda p: p.stage.optim.actor.min_lr_ratio, same,
        when=TORCHTITAN_DECAY, alias=True, why="TorchTitanEngine: LRSchedulersContainer.min_lr_factor"),
    row(lambda c: c.critic.optim.name, lambda p: p.stage.optim.critic.kind, on.OPTIMIZERS, when=CRITIC_TORCHTITAN, alias=True,
        why="TorchTitanEngine: ParamGroupConfig.optimizer_name"),
    row(lambda c: c.critic.optim.decay_type, lambda p: p.stage.optim.critic.schedule, TORCHTITAN_SCHEDULES,
        when=CRITIC_TORCHTITAN, alias=True, why="TorchTitanEngine: LRSchedulersContainer.decay_type"),
    row(lambda c: c.critic.optim.min_lr_factor, lambda p: p.stage.optim.critic.min_lr_ratio, same, when=CRITIC_TORCHTITAN, alias=True,
        why="TorchTitanEngine: LRSchedulersContainer.min_lr_factor"),
)  # fmt: skip
