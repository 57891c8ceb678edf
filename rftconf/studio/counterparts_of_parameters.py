"""What the other three frameworks call the parameters of Trinity-RFT's generator, where no one plan field says it."""

from __future__ import annotations

_V, _VC, _MT = "actor_rollout_ref.actor", "critic", "actor_rollout_ref.rollout.multi_turn"
_RA, _RI, _RC = "actor_train", "actor_infer", "critic"
_CT, _CP = "models.policy_trainer", "models.policy"


def _below(node: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{node}.{name}" for name in names)


OTHERS: dict[str, dict[str, tuple[str, ...]]] = {
    "verl": {
        "resume_from_path": ("trainer.resume_from_path",),
        "default_hdfs_dir": ("trainer.default_hdfs_dir",),
        "del_local_ckpt_after_load": ("trainer.del_local_ckpt_after_load",),
        "taskset_args": ("data.prompt_key", "data.shuffle", "actor_rollout_ref.rollout.temperature"),
        "eval_tasksets": ("data.val_files", "data.val_batch_size",
                          *_below("actor_rollout_ref.rollout.val_kwargs", "n", "temperature", "top_p", "do_sample")),
        "default_workflow_type": ("actor_rollout_ref.rollout.agent.default_agent_loop",),
        "default_reward_fn_type": ("reward.custom_reward_function.path", "reward.custom_reward_function.name",
                                   "data.reward_fn_key"),
        "runner_per_model": ("actor_rollout_ref.rollout.agent.num_workers",),
        "engine_num": ("actor_rollout_ref.rollout.name", "actor_rollout_ref.rollout.nnodes",
                       "actor_rollout_ref.rollout.n_gpus_per_node"),
        "enable_auto_tool_choice": _below(_MT, "enable", "tool_config_path"),
        "tool_call_parser": (f"{_MT}.format",),
        "sync_style": ("trainer.v1.trainer_mode",),
        "sync_interval": ("trainer.v1.separate_async.parameter_sync_step",),
        "norm_adv_by_std_in_grpo": ("algorithm.norm_adv_by_std_in_grpo",),
        "kl_loss_fn": (f"{_V}.use_kl_loss", f"{_V}.kl_loss_type"),
        "use_kl_in_reward": ("algorithm.use_kl_in_reward",),
        "kl_ctrl_type": ("algorithm.kl_ctrl.type",),
        "adaptive_in_kl_penalty_fn": ("algorithm.kl_ctrl.type",),
        "kl_ctrl_coef": ("algorithm.kl_ctrl.kl_coef",),
        "horizon": ("algorithm.kl_ctrl.horizon",),
        "target_kl": ("algorithm.kl_ctrl.target_kl",),
        "clip_range_in_policy_loss_fn": _below(_V, "clip_ratio", "clip_ratio_low", "clip_ratio_high", "clip_ratio_c"),
        "sft_loss_agg_mode": (f"{_V}.loss_agg_mode",),
        "actor_lr_warmup_steps_ratio": (f"{_V}.optim.lr_warmup_steps_ratio", f"{_V}.optim.lr_warmup_steps"),
        "training_args": ("trainer.balance_batch", "actor_rollout_ref.model.enable_gradient_checkpointing",
                          "actor_rollout_ref.model.use_remove_padding", f"{_V}.use_dynamic_bsz",
                          "actor_rollout_ref.model.use_fused_kernels"),
        "impl_backend": ("actor_rollout_ref.model.fused_kernel_options.impl_backend",),
        **{name: (f"{_V}.megatron.override_transformer_config.{name}",) for name in (
            "recompute_granularity", "recompute_modules", "recompute_method", "recompute_num_layers")},
        "critic_lr_warmup_steps_ratio": (f"{_VC}.optim.lr_warmup_steps_ratio",),
        "critic_ulysses_sequence_parallel_size": (f"{_VC}.fsdp.ulysses_sequence_parallel_size",
                                                  f"{_VC}.ulysses_sequence_parallel_size"),
        "critic_save_checkpoint": (f"{_VC}.checkpoint.save_contents",),
        "critic_load_checkpoint": (f"{_VC}.checkpoint.load_contents",),
    },
    "roll": {
        "project": ("tracker_kwargs",),
        "node_num": ("num_nodes",),
        "total_epochs": (f"{_RA}.training_args.num_train_epochs",),
        "train_batch_size": (f"{_RA}.training_args.gradient_accumulation_steps",),
        "taskset_args": (f"{_RA}.data_args.prompt", f"{_RI}.generating_args.temperature"),
        "eval_tasksets": ("validation.data_args.file_name", "val_batch_size",
                          *_below("validation.generating_args", "num_return_sequences", "temperature", "top_p")),
        "experience_buffer_path": (f"{_RA}.data_args.file_name",),
        "engine_num": (f"{_RI}.strategy_args.strategy_name", f"{_RI}.device_mapping", f"{_RI}.num_gpus_per_worker"),
        "sync_interval": (f"{_RA}.model_update_frequency",),
        "kl_loss_fn": ("use_kl_loss",),
        "use_kl_in_reward": ("add_token_level_kl",),
        "kl_ctrl_coef": ("init_kl_coef",),
        "horizon": ("kl_horizon",),
        "target_kl": ("target_kl",),
        "norm_adv_by_std_in_grpo": ("norm_mean_type", "norm_std_type"),
        "clip_range_in_policy_loss_fn": ("pg_clip", "pg_clip_low", "pg_clip_high", "dual_clip_loss"),
        "sft_loss_agg_mode": ("loss_agg_mode",),
        "policy_loss_fn": (f"{_RA}.pg_variant",),
        "trainer_type": (f"{_RA}.worker_cls", f"{_RA}.device_mapping"),
        "actor_lr_warmup_steps_ratio": (f"{_RA}.training_args.warmup_ratio", f"{_RA}.training_args.warmup_steps"),
        "actor_ppo_micro_batch_size_per_gpu": (f"{_RA}.training_args.per_device_train_batch_size",),
        "actor_ppo_max_token_len_per_gpu": (f"{_RA}.max_tokens_per_microbatch_in_train",),
        "training_args": (f"{_RA}.model_args.disable_gradient_checkpointing", f"{_RA}.use_dynamic_batching_in_train",
                          f"{_RA}.use_sequence_packing"),
        "param_offload": ("is_offload_states",),
        "optimizer_offload": ("is_offload_optimizer_states_in_train_step",),
        "critic_lr_scheduler_type": (f"{_RC}.training_args.lr_scheduler_type",),
        "critic_lr_warmup_steps_ratio": (f"{_RC}.training_args.warmup_ratio",),
        "critic_ppo_micro_batch_size_per_gpu": (f"{_RC}.training_args.per_device_train_batch_size",),
        "critic_ulysses_sequence_parallel_size": (f"{_RC}.model_args.ulysses_size",),
        "critic_save_checkpoint": (f"{_RC}.training_args.save_hf_model",),
        **{name: (f"{_RA}.strategy_args.strategy_config.{name}",) for name in (
            "recompute_granularity", "recompute_modules", "recompute_method", "recompute_num_layers")},
    },
    "chatlearn": {
        "taskset_args": ("runtime_args.data_shuffle", f"{_CP}.temperature", f"{_CP}.top_p"),
        "eval_tasksets": ("runtime_args.eval_data_path", f"{_CP}.eval_temperature", f"{_CP}.eval_top_p"),
        "engine_num": (f"{_CP}.num_gpu",),
        "trainer_type": (f"{_CT}.num_gpu",),
        "clip_range_in_policy_loss_fn": _below(_CT, "neg_clip_ratio", "pos_clip_ratio", "final_clip_ratio"),
        "monitor_type": _below("runtime_args.log_args_dict", "enable_wandb", "enable_tensorboard"),
        **{name: (f"{_CT}.{name}",) for name in (
            "recompute_granularity", "recompute_modules", "recompute_method", "recompute_num_layers")},
        "training_args": (f"{_CT}.packing", f"{_CT}.gradient_checkpointing"),
    },
}  # fmt: skip
"""Keys of the other frameworks that stand for a parameter without standing for the same one plan field."""
