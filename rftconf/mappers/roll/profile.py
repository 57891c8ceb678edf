"""Facts about ROLL's keys that the tables do not hold: gates, units, names in the studio's form."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.mappers.profiles import Profile, below, counted
from rftconf.mappers.program import Program

_TRAIN, _INFER, _CRITIC = "actor_train", "actor_infer", "critic"
TABLES = {
    ("roll", "worlds"): ("table_worlds", "ROLL_WORLDS"),
    ("roll", "eval"): ("table_eval", "ROLL_ROLLOUTS"),
    ("roll", ""): ("table", "ROLL"),
}
"""ROLL evaluates with two pipelines: on rows of data (`eval`), and in environments (`worlds`)."""

MAIN_KEYS = {
    "stage.batch.prompts_per_rollout": "rollout_batch_size",
    "stage.batch.responses_per_prompt": "num_return_sequences_in_group",
    "stage.sync.run_ahead_rollouts": "async_generation_ratio",
    "stage.algorithm.advantage": "adv_estimator",
    "stage.algorithm.std_scope": "norm_std_type",
    "stage.algorithm.kl_reward.enabled": "add_token_level_kl",
    "stage.algorithm.kl_reward.coef": "init_kl_coef",
    "stage.algorithm.kl_reward.target": "target_kl",
    "stage.algorithm.kl_loss.enabled": "use_kl_loss",
    "stage.algorithm.policy_loss.clip_low": "pg_clip_low",
    "stage.algorithm.policy_loss.clip_high": "pg_clip_high",
    "stage.algorithm.loss_agg": "loss_agg_mode",
    "stage.length.prompt_max_tokens": "prompt_length",
    "stage.length.response_max_tokens": "response_length",
    "stage.length.model_max_tokens": "sequence_length",
    "stage.model.path": "pretrain",
    "stage.model.critic_path": "reward_pretrain",
    "stage.run_length.rollouts": "max_steps",
    "stage.placement.actor.backend": "actor_train.strategy_args.strategy_name",
    "stage.placement.rollout.engine": "actor_infer.strategy_args.strategy_name",
    "stage.placement.rollout.tp": "actor_infer.strategy_args.strategy_config.tensor_parallel_size",
    "stage.placement.rollout.gpu_memory_fraction": ("actor_infer.strategy_args.strategy_config.gpu_memory_utilization"),
    "stage.optim.actor.warmup_updates": "actor_train.training_args.warmup_steps",
    "stage.optim.actor.schedule": "actor_train.training_args.lr_scheduler_type",
    "stage.optim.actor.grad_clip": "max_grad_norm",
    "stage.data.train[].uri": "actor_train.data_args.file_name",
    "stage.data.eval[].uri": "validation.data_args.file_name",
    "identity.loggers": "track_with",
    "identity.checkpoint_root": "checkpoint_config.output_dir",
    "identity.resume_path": "resume_from_checkpoint",
    "cluster.gpus_per_node": "num_gpus_per_node",
    "stage.seeds.global_seed": "seed",
}

UNITS = {
    **counted("prompts", "rollout_batch_size", "val_batch_size"),
    **counted("answers a prompt", "num_return_sequences_in_group",
               "validation.generating_args.num_return_sequences"),
    **counted("tokens", "prompt_length", "response_length", "sequence_length", "val_prompt_length",
               "val_sequence_length"),
    **counted("rollout periods", "max_steps", "save_steps", "eval_steps"),
    **counted("nodes", "num_nodes"),
    **counted("GPUs", "num_gpus_per_node", "actor_train.model_args.ulysses_size"),
}  # fmt: skip

PARAMETERS = {
    "project": ("tracker_kwargs",),
    "node_num": ("num_nodes",),
    "total_epochs": (f"{_TRAIN}.training_args.num_train_epochs",),
    "train_batch_size": (f"{_TRAIN}.training_args.gradient_accumulation_steps",),
    "taskset_args": (f"{_TRAIN}.data_args.prompt", f"{_INFER}.generating_args.temperature"),
    "eval_tasksets": ("validation.data_args.file_name", "val_batch_size",
                      *below("validation.generating_args", "num_return_sequences", "temperature", "top_p")),
    "experience_buffer_path": (f"{_TRAIN}.data_args.file_name",),
    "engine_num": (f"{_INFER}.strategy_args.strategy_name", f"{_INFER}.device_mapping", f"{_INFER}.num_gpus_per_worker"),
    "sync_interval": (f"{_TRAIN}.model_update_frequency",),
    "kl_loss_fn": ("use_kl_loss",),
    "use_kl_in_reward": ("add_token_level_kl",),
    "kl_ctrl_coef": ("init_kl_coef",),
    "horizon": ("kl_horizon",),
    "target_kl": ("target_kl",),
    "norm_adv_by_std_in_grpo": ("norm_mean_type", "norm_std_type"),
    "clip_range_in_policy_loss_fn": ("pg_clip", "pg_clip_low", "pg_clip_high", "dual_clip_loss"),
    "sft_loss_agg_mode": ("loss_agg_mode",),
    "policy_loss_fn": (f"{_TRAIN}.pg_variant",),
    "trainer_type": (f"{_TRAIN}.worker_cls", f"{_TRAIN}.device_mapping"),
    "actor_lr_warmup_steps_ratio": (f"{_TRAIN}.training_args.warmup_ratio", f"{_TRAIN}.training_args.warmup_steps"),
    "actor_ppo_micro_batch_size_per_gpu": (f"{_TRAIN}.training_args.per_device_train_batch_size",),
    "actor_ppo_max_token_len_per_gpu": (f"{_TRAIN}.max_tokens_per_microbatch_in_train",),
    "training_args": (f"{_TRAIN}.model_args.disable_gradient_checkpointing", f"{_TRAIN}.use_dynamic_batching_in_train",
                      f"{_TRAIN}.use_sequence_packing"),
    "param_offload": ("is_offload_states",),
    "optimizer_offload": ("is_offload_optimizer_states_in_train_step",),
    "critic_lr_scheduler_type": (f"{_CRITIC}.training_args.lr_scheduler_type",),
    "critic_lr_warmup_steps_ratio": (f"{_CRITIC}.training_args.warmup_ratio",),
    "critic_ppo_micro_batch_size_per_gpu": (f"{_CRITIC}.training_args.per_device_train_batch_size",),
    "critic_ulysses_sequence_parallel_size": (f"{_CRITIC}.model_args.ulysses_size",),
    "critic_save_checkpoint": (f"{_CRITIC}.training_args.save_hf_model",),
    **{name: (f"{_TRAIN}.strategy_args.strategy_config.{name}",) for name in (
        "recompute_granularity", "recompute_modules", "recompute_method", "recompute_num_layers")},
}  # fmt: skip

_WORKERS = "roll.pipeline.rlvr.rewards."
PROGRAM = Program(
    "fsdp2",
    by_tokens=False,
    rollouts=(500, "max_steps of ROLL, examples/docs_examples/example_grpo.yaml"),
    values={
        "stage.data.domains[0].name": "math_rule",
        "stage.data.domains[0].tags": ["math_rule"],
        "stage.data.domains[0].weight": 1.0,
        "stage.data.domains[0].reward": f"{_WORKERS}math_rule_reward_worker.MathRuleRewardWorker",
    },
    decisions=(
        Decision(
            "rewards.math_rule.worker_cls",
            "this worker class scores rows tagged math_rule by their `ground_truth`",
            ("check that it scores your data", f"{_WORKERS}code_sandbox_reward_worker.CodeSandboxRewardWorker"),
        ),
        Decision(
            "actor_train.data_args",
            "ROLL reads rows with a `tag` that assigns the domain and the answer in `ground_truth`",
            ("check the columns",),
        ),
    ),
)

PROFILE = Profile(
    tables=TABLES,
    gates=True,
    adapter=True,
    metrics=True,
    main_keys=MAIN_KEYS,
    units=UNITS,
    parameters=PARAMETERS,
    program=PROGRAM,
)
