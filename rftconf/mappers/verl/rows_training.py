"""veRL rows: algorithm, optimizers, engines, workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import NO_VALUE_CLIP, counts, same, words
from rftconf.mappers.rows import rows_of
from rftconf.mappers.verl import conditions as on
from rftconf.mappers.verl.folds_recipes import FULLY_ASYNC
from rftconf.mappers.verl.teachers import DUAL_CLIP, OWN_DUAL_CLIP, REWARDED, TAUGHT, BesideTeacher, DualClip
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.verl.model import Verl

row = rows_of["Verl", "Run"]()

ADVANTAGES = {
    "gae": "gae",
    "reinforce_plus_plus": "reinforce_pp",
    "reinforce_plus_plus_baseline": "reinforce_pp_baseline",
    "rloo": "rloo",
    "rloo_vectorized": "rloo",
    "remax": "remax",
    "opo": "opo",
    "grpo_passk": "grpo_passk",
    "gpg": "gpg",
    "gdpo": "gdpo",
    "optimal_token_baseline": "optimal_token_baseline",
    "tir_optimal_token_baseline": "tir_optimal_token_baseline",
}
"""Estimators whose name says it all; grpo depends on norm_adv_by_std_in_grpo (fold in folds.py)."""

KL_ESTIMATORS = words(
    {
        "kl": "k1",
        "k1": "k1",
        "abs": "abs",
        "mse": "k2",
        "k2": "k2",
        "low_var_kl": "k3_clamped",
        "k3": "k3_clamped",
        "full": "full",
    },
    narrowed={
        "k3": ("low_var_kl", "veRL clamps k3 at 10, the source does not (H36)"),
        "corrected_k3": ("low_var_kl", "veRL's KL has no importance weight, and k3 is clamped at 10 (H36)"),
    },
)

ALGORITHM_ROWS = (
    row(lambda c: c.algorithm.gamma, lambda p: p.stage.algorithm.gamma, same, when=on.DISCOUNTED, why="core_algos"),
    row(lambda c: c.algorithm.lam, lambda p: p.stage.algorithm.lam, same, when=on.GAE, always=True,
        why="core_algos.compute_gae_advantage_return"),
    row(lambda c: c.algorithm.use_kl_in_reward, lambda p: p.stage.algorithm.kl_reward.enabled, BesideTeacher(False), always=True,
        why="trainer: apply_kl_penalty"),
    row(lambda c: c.algorithm.kl_penalty, lambda p: p.stage.algorithm.kl_reward.estimator, KL_ESTIMATORS, when=on.KL_REWARD,
        why="core_algos.kl_penalty"),
    row(lambda c: c.algorithm.kl_ctrl.kl_coef, lambda p: p.stage.algorithm.kl_reward.coef, same, when=on.KL_REWARD, always=True,
        why="core_algos.get_kl_controller"),
    row(lambda c: c.algorithm.kl_ctrl.type, lambda p: p.stage.algorithm.kl_reward.controller,
        words({"fixed": "fixed", "adaptive": "adaptive"}), when=on.KL_REWARD, why="core_algos.get_kl_controller"),
    row(lambda c: c.algorithm.kl_ctrl.target_kl, lambda p: p.stage.algorithm.kl_reward.target, same, when=on.ADAPTIVE,
        why="AdaptiveKLController"),
    row(lambda c: c.algorithm.kl_ctrl.horizon, lambda p: p.stage.algorithm.kl_reward.horizon, same, when=on.ADAPTIVE,
        why="AdaptiveKLController"),
    row(lambda c: c.actor_rollout_ref.actor.use_kl_loss, lambda p: p.stage.algorithm.kl_loss.enabled, BesideTeacher(False), always=True,
        why="actor: adds kl_loss_coef * KL to the loss"),
    row(lambda c: c.actor_rollout_ref.actor.kl_loss_type, lambda p: p.stage.algorithm.kl_loss.estimator, KL_ESTIMATORS,
        when=on.KL_LOSS, always=True, why="core_algos.kl_penalty"),
    row(lambda c: c.actor_rollout_ref.actor.kl_loss_coef, lambda p: p.stage.algorithm.kl_loss.coef, same, when=on.KL_LOSS,
        always=True, why="actor: coefficient of KL in the loss"),
    row(lambda c: c.actor_rollout_ref.actor.entropy_coeff, lambda p: p.stage.algorithm.entropy_coef, BesideTeacher(0), always=True,
        why="actor: subtracts coef * entropy"),
    row(lambda c: c.actor_rollout_ref.actor.clip_ratio_low, lambda p: p.stage.algorithm.policy_loss.clip_low, same, always=True, when=REWARDED,
        why="core_algos: wins over clip_ratio, which alone does nothing (H30)"),
    row(lambda c: c.actor_rollout_ref.actor.clip_ratio_high, lambda p: p.stage.algorithm.policy_loss.clip_high, same, always=True, when=REWARDED,
        why="core_algos: wins over clip_ratio, which alone does nothing (H30)"),
    row(lambda c: c.distillation.distillation_loss.clip_ratio_low, lambda p: p.stage.algorithm.policy_loss.clip_low, same, always=True,
        when=TAUGHT, alias=True, why="distillation/losses: the policy loss takes the teacher's config"),
    row(lambda c: c.distillation.distillation_loss.clip_ratio_high, lambda p: p.stage.algorithm.policy_loss.clip_high, same, always=True,
        when=TAUGHT, alias=True, why="distillation/losses: the policy loss takes the teacher's config"),
    row(lambda c: c.actor_rollout_ref.actor.clip_ratio_c, lambda p: p.stage.algorithm.policy_loss.dual_clip_c, DualClip(OWN_DUAL_CLIP),
        when=DUAL_CLIP, why="core_algos: compute_policy_loss_vanilla clips twice, always"),
    row(lambda c: c.actor_rollout_ref.actor.tau_pos, lambda p: p.stage.algorithm.policy_loss.tau_pos, same,
        when=on.SAPO,
        why="core_algos: sapo"),
    row(lambda c: c.actor_rollout_ref.actor.tau_neg, lambda p: p.stage.algorithm.policy_loss.tau_neg, same,
        when=on.SAPO,
        why="core_algos: sapo"),
    row(lambda c: c.trainer.critic_warmup, lambda p: p.stage.algorithm.critic.warmup_rollouts,
        on.SKIPPED_PERIODS, why="trainer.fit: actor updates when critic_warmup <= step, counted from 1 (H20)"),
    row(lambda c: c.critic.cliprange_value, lambda p: p.stage.algorithm.critic.value_clip, NO_VALUE_CLIP,
        when=on.CRITIC, always=True, why="core_algos.compute_value_loss: always clips, so nothing reaches the bound where none is wanted"),
    row(lambda c: c.critic.loss_agg_mode, lambda p: p.stage.algorithm.critic.loss_agg, same, when=on.CRITIC,
        why="critic: aggregation of the value loss"),
)  # fmt: skip

OPTIMIZER_ROWS = (
    row(lambda c: c.actor_rollout_ref.actor.optim.lr, lambda p: p.stage.optim.actor.lr, same, always=True, why="optimizer config"),
    row(lambda c: c.actor_rollout_ref.actor.optim.optimizer, lambda p: p.stage.optim.actor.kind,
        on.OPTIMIZERS, when=on.TORCH_OPTIMIZER,
        absent="adamw", why="optimizer class; Megatron's adam decouples weight decay"),
    row(lambda c: c.actor_rollout_ref.actor.optim.betas, lambda p: p.stage.optim.actor.betas, same, absent=[0.9, 0.999],
        why="optimizer config"),
    row(lambda c: c.actor_rollout_ref.actor.optim.weight_decay, lambda p: p.stage.optim.actor.weight_decay, same, why="optimizer config"),
    row(lambda c: c.actor_rollout_ref.actor.optim.clip_grad, lambda p: p.stage.optim.actor.grad_clip, same, when=on.GRAD_CLIP_OPTIM,
        mirror=True, always=True, why="engine: clip_grad_norm_ since 0.8, Megatron always"),
    row(lambda c: c.actor_rollout_ref.actor.grad_clip, lambda p: p.stage.optim.actor.grad_clip, on.FSDP_TWIN, when=on.GRAD_CLIP_ACTOR,
        alias=True, mirror=True, why="dp_actor: the live key of FSDP up to 0.7 (H48)"),
    row(lambda c: c.actor_rollout_ref.actor.optim.grad_clip, lambda p: p.stage.optim.actor.grad_clip, same, when=on.GRAD_CLIP_OPTIM,
        alias=True, read_only=True, why="OptimizerConfig: deprecated since 0.6; wins over clip_grad when it is set (H48)"),
    row(lambda c: c.actor_rollout_ref.actor.optim.lr_scheduler_type, lambda p: p.stage.optim.actor.schedule, on.FSDP_SCHEDULES,
        when=on.FSDP_OR_VEOMNI, always=True, why="optim/fsdp.yaml: constant or cosine"),
    row(lambda c: c.actor_rollout_ref.actor.optim.lr_decay_style, lambda p: p.stage.optim.actor.schedule,
        on.MEGATRON_SCHEDULES,
        when=on.MEGATRON, alias=True, why="optim/megatron.yaml"),
    row(lambda c: c.actor_rollout_ref.actor.optim.min_lr_ratio, lambda p: p.stage.optim.actor.min_lr_ratio, same,
        when=on.FSDP_DECAY, why="optim/fsdp.yaml: floor of the cosine"),
    row(lambda c: c.actor_rollout_ref.actor.optim.min_lr, lambda p: p.stage.optim.actor.min_lr, same, when=on.MEGATRON_DECAY,
        why="optim/megatron.yaml: floor of the decay"),
    row(lambda c: c.critic.optim.lr, lambda p: p.stage.optim.critic.lr, same, when=on.CRITIC, always=True, why="optimizer config"),
    row(lambda c: c.critic.optim.optimizer, lambda p: p.stage.optim.critic.kind,
        on.OPTIMIZERS,
        when=on.CRITIC_TORCH_OPTIMIZER, absent="adamw", why="optimizer class"),
    row(lambda c: c.critic.optim.betas, lambda p: p.stage.optim.critic.betas, same, when=on.CRITIC, absent=[0.9, 0.999],
        why="optimizer config"),
    row(lambda c: c.critic.optim.weight_decay, lambda p: p.stage.optim.critic.weight_decay, same, when=on.CRITIC, why="optimizer config"),
    row(lambda c: c.critic.optim.clip_grad, lambda p: p.stage.optim.critic.grad_clip, same, when=on.CRITIC_GRAD_CLIP_OPTIM,
        mirror=True, why="engine: clip_grad_norm_ since 0.8, Megatron always"),
    row(lambda c: c.critic.grad_clip, lambda p: p.stage.optim.critic.grad_clip, on.FSDP_TWIN, when=on.CRITIC_GRAD_CLIP_OLD, alias=True,
        mirror=True, why="dp_critic: the live key of FSDP up to 0.7 (H48)"),
    row(lambda c: c.critic.optim.grad_clip, lambda p: p.stage.optim.critic.grad_clip, same, when=on.CRITIC_GRAD_CLIP_OPTIM,
        alias=True, read_only=True, why="OptimizerConfig: deprecated since 0.6; wins over clip_grad when it is set (H48)"),
    row(lambda c: c.critic.optim.lr_scheduler_type, lambda p: p.stage.optim.critic.schedule, on.FSDP_SCHEDULES,
        when=on.CRITIC_FSDP_OR_VEOMNI, why="optim/fsdp.yaml: constant or cosine"),
    row(lambda c: c.critic.optim.lr_decay_style, lambda p: p.stage.optim.critic.schedule,
        on.MEGATRON_SCHEDULES,
        when=on.CRITIC_MEGATRON, alias=True, why="optim/megatron.yaml"),
    row(lambda c: c.critic.optim.min_lr_ratio, lambda p: p.stage.optim.critic.min_lr_ratio, same, when=on.CRITIC_COSINE,
        why="optim/fsdp.yaml"),
    row(lambda c: c.critic.optim.min_lr, lambda p: p.stage.optim.critic.min_lr, same, when=on.CRITIC_MEGATRON_DECAY,
        why="optim/megatron.yaml: floor of the decay"),
)  # fmt: skip

ENGINE_ROWS = (
    row(lambda c: c.actor_rollout_ref.rollout.name, lambda p: p.stage.placement.rollout.engine,
        words({name: name for name in ("vllm", "sglang", "trtllm", "hf")}, narrowed=dict.fromkeys(
            ("tinker", "external"), ("vllm", "veRL generates with engines of its own")), asks=True), always=True,
        why="rollout registry: vllm, sglang, trtllm"),
    row(lambda c: c.actor_rollout_ref.rollout.tensor_model_parallel_size, lambda p: p.stage.placement.rollout.tp, same, always=True,
        why="rollout.yaml: default 2, so always written"),
    row(lambda c: c.actor_rollout_ref.rollout.data_parallel_size, lambda p: p.stage.placement.rollout.dp, same, absent=1,
        why="rollout.yaml"),
    row(lambda c: c.actor_rollout_ref.rollout.pipeline_model_parallel_size, lambda p: p.stage.placement.rollout.pp, same, absent=1,
        why="rollout.yaml: above 1 not implemented for vllm and sglang"),
    row(lambda c: c.actor_rollout_ref.rollout.expert_parallel_size, lambda p: p.stage.placement.rollout.ep, same, absent=1,
        why="RolloutConfig: 1, or TP*DP"),
    row(lambda c: c.actor_rollout_ref.rollout.gpu_memory_utilization, lambda p: p.stage.placement.rollout.gpu_memory_fraction, same,
        always=True, why="engine share; the trainer needs the rest of the same GPU"),
    row(lambda c: c.actor_rollout_ref.rollout.standalone_gpu_memory_utilization,
        lambda p: p.stage.placement.rollout.gpu_memory_fraction, same, when=FULLY_ASYNC, alias=True, read_only=True,
        why="fully_async_rollouter: engines on GPUs of their own take it before gpu_memory_utilization"),
    row(lambda c: c.actor_rollout_ref.rollout.max_num_seqs, lambda p: p.stage.placement.rollout.max_num_seqs, same, always=True,
        why="engine: 1024 up to 0.8, 256 since"),
    row(lambda c: c.actor_rollout_ref.rollout.max_num_batched_tokens, lambda p: p.stage.placement.rollout.max_batched_tokens,
        counts(Unit.TOKENS), why="engine"),
    row(lambda c: c.actor_rollout_ref.rollout.dtype, lambda p: p.stage.placement.rollout.dtype, same, why="engine"),
    row(lambda c: c.actor_rollout_ref.rollout.enforce_eager, lambda p: p.stage.placement.rollout.enforce_eager, same, always=True,
        why="engine: True in 0.5, False since 0.6"),
    row(lambda c: c.actor_rollout_ref.rollout.enable_prefix_caching, lambda p: p.stage.placement.rollout.prefix_cache, same,
        absent=True, why="engine"),
    row(lambda c: c.actor_rollout_ref.rollout.enable_chunked_prefill, lambda p: p.stage.placement.rollout.chunked_prefill, same,
        why="engine"),
    row(lambda c: c.actor_rollout_ref.rollout.load_format, lambda p: p.stage.placement.rollout.load_format, same, why="engine"),
    row(lambda c: c.actor_rollout_ref.rollout.seed, lambda p: p.stage.placement.rollout.seed, same, absent=0,
        why="vllm_async_server: seed plus replica rank"),
    row(lambda c: c.actor_rollout_ref.rollout.checkpoint_engine.backend, lambda p: p.stage.sync.transport,
        words({"naive": "auto", "nccl": "nccl", "hccl": "hccl", "nixl": "nixl", "mooncake": "mooncake", "kimi": "kimi", "delta": "delta"},
              narrowed={"memory": ("naive", "weights pass in place when trainer and engines share GPUs"),
                        "checkpoint": ("naive", "veRL never passes weights through files")}),
        when=on.OWN_POOL, why="trainer: checkpoint engine; hybrid replicas always use naive"),
    row(lambda c: c.actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes,
        lambda p: p.stage.sync.bucket_megabytes, same, why="trainer: size of one weight bucket"),
)  # fmt: skip
