"""Facts about NeMo-RL's keys that the table does not hold: main keys and units."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.mappers.profiles import Profile, counted
from rftconf.mappers.program import Program

MAIN_KEYS = {
    "stage.placement.actor.backend": "policy.megatron_cfg.enabled",
    "stage.placement.layout": "policy.generation.colocated.enabled",
    "stage.placement.rollout.gpus": "policy.generation.colocated.resources.gpus_per_node",
    "stage.batch.micro.sequences_per_rank": "policy.train_micro_batch_size",
    "stage.batch.micro.tokens_per_rank": "policy.sequence_packing.train_mb_tokens",
    "stage.batch.micro.dynamic": "policy.sequence_packing.enabled",
    "stage.batch.log_prob.sequences_per_rank": "policy.logprob_batch_size",
    "stage.length.model_max_tokens": "policy.max_total_sequence_length",
    "stage.algorithm.advantage": "grpo.adv_estimator.name",
    "stage.algorithm.policy_loss.family": "loss_fn.sequence_level_importance_ratios",
    "stage.algorithm.loss_agg": "loss_fn.token_level_loss",
    "stage.algorithm.kl_loss.enabled": "loss_fn.reference_policy_kl_penalty",
    "stage.algorithm.kl_loss.coef": "loss_fn.reference_policy_kl_penalty",
    "stage.algorithm.kl_reward.enabled": "loss_fn.use_kl_in_reward",
    "stage.algorithm.kl_reward.coef": "loss_fn.reference_policy_kl_penalty",
    "stage.algorithm.filters[].kind": "grpo.use_dynamic_sampling",
    "stage.optim.actor.lr": "policy.optimizer.kwargs.lr",
    "stage.optim.actor.schedule": "policy.scheduler",
    "stage.optim.actor.warmup_updates": "policy.scheduler",
    "stage.sync.run_ahead_rollouts": "grpo.async_grpo.max_trajectory_age_steps",
    "stage.cadence.eval_rollouts": "grpo.val_period",
    "stage.model_options.lora.rank": "policy.dtensor_cfg.lora_cfg.dim",
    "stage.model_options.lora.alpha": "policy.dtensor_cfg.lora_cfg.alpha",
    "stage.data.train[].uri": "data.train",
    "identity.loggers": "logger.wandb_enabled",
}
UNITS = {
    **counted("sequences a rank", "policy.train_micro_batch_size", "policy.logprob_batch_size"),
    **counted("tokens a rank", "policy.sequence_packing.train_mb_tokens", "policy.sequence_packing.logprob_mb_tokens"),
    **counted("tokens a rank", "policy.dynamic_batching.train_mb_tokens", "policy.dynamic_batching.logprob_mb_tokens"),
    **counted("prompts", "grpo.max_val_samples", "grpo.val_batch_size"),
    **counted("answers a prompt", "grpo.num_generations_per_prompt"),
    **counted("rollout periods", "grpo.val_period", "grpo.async_grpo.max_trajectory_age_steps"),
    **counted(
        "ticks, one a rollout period",
        "policy.megatron_cfg.scheduler.lr_warmup_iters",
        "policy.megatron_cfg.scheduler.lr_decay_iters",
    ),
    **counted("nodes", "policy.generation.colocated.resources.num_nodes"),
}

PROGRAM = Program(
    "fsdp2",
    parks=(("optimizer", "param"),),
    decisions=(
        Decision(
            "data.default.env_name",
            "an environment scores the answers: it is math unless another one is named",
            ("math: answers are compared with math_verify", "an environment of your own, registered with register_env"),
        ),
        Decision(
            "data.train.input_key",
            "NeMo-RL reads the question from the column `input` and the answer from `output`",
            ("check the columns, and name others with input_key and output_key",),
        ),
    ),
)
"""Weights and states of the trainer wait in host memory while engines share its GPUs, whoever asks (policy_worker: offload_before_refit).
A sequence stays on one GPU: DTensor's context parallelism takes no packed ones (models/automodel/setup.py: validate_and_prepare_config)."""

PROFILE = Profile(
    tables={("nemo_rl", ""): ("table", "NEMO_RL")},
    adapter=True,
    metrics=True,
    main_keys=MAIN_KEYS,
    units=UNITS,
    program=PROGRAM,
)
