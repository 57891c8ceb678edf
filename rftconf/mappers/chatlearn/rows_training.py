"""ChatLearn rows: losses, optimizer, what trainer and reference do with their GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.chatlearn import conditions as on
from rftconf.mappers.codecs import same, words
from rftconf.mappers.rows import rows_of
from rftconf.mappers.rows_for_role import rows_for_role

if TYPE_CHECKING:
    from rftconf.plan.model import Run, Worker
    from rftconf.schemas.chatlearn.model import Chatlearn, ModelsPolicyTrainer

row = rows_of["Chatlearn", "Run"]()
block = rows_of["ModelsPolicyTrainer", "Worker"]()

TRAINING_ROWS = (
    row(lambda c: c.models.policy_trainer.neg_clip_ratio, lambda p: p.stage.algorithm.policy_loss.clip_low, same, always=True,
        why="loss_gallery: the ratio's lower bound 1 - neg_clip_ratio"),
    row(lambda c: c.models.policy_trainer.pos_clip_ratio, lambda p: p.stage.algorithm.policy_loss.clip_high, same, always=True,
        why="loss_gallery: the ratio's upper bound 1 + pos_clip_ratio"),
    row(lambda c: c.models.policy_trainer.final_clip_ratio, lambda p: p.stage.algorithm.policy_loss.value_cap, same,
        why="loss_gallery: caps the loss of a token by value, not c*|A| (H32)"),
    row(lambda c: c.models.policy_trainer.optimizer.lr, lambda p: p.stage.optim.actor.lr, same, always=True, why="AdamW"),
    row(lambda c: c.models.policy_trainer.optimizer.weight_decay, lambda p: p.stage.optim.actor.weight_decay, same, why="AdamW"),
    row(lambda c: c.models.policy_trainer.optimizer.clip_grad, lambda p: p.stage.optim.actor.grad_clip, same, always=True,
        why="policy_trainer: fsdp2_clip_grad_norm_"),
    row(lambda c: c.runtime_args.train_backend, lambda p: p.stage.placement.actor.backend,
        words({"fsdp": "fsdp2", "megatron": "megatron"}, narrowed={
            "fsdp": ("fsdp", "ChatLearn's fsdp is FSDP2, the source's FSDP1")}, asks=True),
        always=True, why="GrpoConfig.__post_init__: the trainer's config class"),
    row(lambda c: c.models.policy_trainer.ulysses_sequence_parallel_size, lambda p: p.stage.placement.actor.sp, same, when=on.FSDP,
        why="fsdp_module: sp_size"),
    row(lambda c: c.models.policy_trainer.free_gpu_memory.free_grad_buffers, lambda p: p.stage.placement.actor.offload.grad, same,
        when=on.MEGATRON, why="megatron_module: gradients are freed between the phases"),
    row(lambda c: c.models.policy_trainer.free_gpu_memory.offload_optimizer_states, lambda p: p.stage.placement.actor.offload.optimizer,
        same, why="the states wait in host memory between the phases"),
    row(lambda c: c.models.ref_policy.ulysses_sequence_parallel_size, lambda p: p.stage.placement.reference.sp, same, when=on.FSDP,
        why="fsdp_module: sp_size"),
)  # fmt: skip

ROLE_BLOCK = (
    block(lambda m: m.free_gpu_memory.offload_weights, lambda w: w.offload.param, same,
          why="the weights wait in host memory between the phases"),
)  # fmt: skip

MEGATRON_BLOCK = (
    block(lambda m: m.tensor_model_parallel_size, lambda w: w.megatron.tp, same, why="MegatronConfig"),
    block(lambda m: m.pipeline_model_parallel_size, lambda w: w.megatron.pp, same, why="MegatronConfig"),
    block(lambda m: m.virtual_pipeline_model_parallel_size, lambda w: w.megatron.vpp, same, why="MegatronConfig"),
    block(lambda m: m.context_parallel_size, lambda w: w.megatron.cp, same, why="MegatronConfig"),
    block(lambda m: m.expert_model_parallel_size, lambda w: w.megatron.ep, same, why="MegatronConfig"),
    block(lambda m: m.expert_tensor_parallel_size, lambda w: w.megatron.etp, same, why="MegatronConfig"),
    block(lambda m: m.sequence_parallel, lambda w: w.megatron.sequence_parallel, same, why="MegatronConfig"),
    block(lambda m: m.seed, lambda w: w.megatron.seed, same, why="Megatron's own argument"),
    block(lambda m: m.bf16, lambda w: w.megatron.dtype, words({True: "bfloat16", False: "float32"}),
          why="Megatron's own argument: bfloat16, else single precision"),
)  # fmt: skip

ROLE_ROWS = (
    *rows_for_role(ROLE_BLOCK, native="models.policy_trainer", plan="stage.placement.actor"),
    *rows_for_role(ROLE_BLOCK, native="models.ref_policy", plan="stage.placement.reference"),
    *rows_for_role(MEGATRON_BLOCK, native="models.policy_trainer", plan="stage.placement.actor", when=on.MEGATRON),
    *rows_for_role(MEGATRON_BLOCK, native="models.ref_policy", plan="stage.placement.reference", when=on.MEGATRON),
    *rows_for_role((block(lambda m: m.use_distributed_optimizer, lambda w: w.megatron.distributed_optimizer, same,
                   why="Megatron's own argument"),),
            native="models.policy_trainer", plan="stage.placement.actor", when=on.MEGATRON),
)  # fmt: skip
