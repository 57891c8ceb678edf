"""The parameters that Trinity-RFT's own config generator offers, by topic, and the keys that it writes them to.

The names are the generator's (manager/config_registry of releases 0.3.3 to 0.6.0).
"""

from __future__ import annotations

_TASKS, _EVALS = "buffer.explorer_input.tasksets[]", "buffer.explorer_input.eval_tasksets[]"
_BUFFER = "buffer.trainer_input.experience_buffer"
_ENGINE, _HELPER = "explorer.rollout_model", "explorer.auxiliary_models[]"
_OLD = "trainer.trainer_config"
_ARR = f"{_OLD}.actor_rollout_ref"
_ACTOR, _CRITIC = f"{_ARR}.actor", f"{_OLD}.critic"


def _three(name: str) -> tuple[str, ...]:
    """A switch of the trainer as the newest release has it, and below the back end's own config."""
    return (
        f"trainer.{name}",
        f"{_ACTOR}.fsdp_config.{name}",
        f"{_ACTOR}.megatron.{name}",
        f"{_CRITIC}.model.fsdp_config.{name}",
    )


def _megatron(name: str) -> tuple[str, ...]:
    return (f"trainer.megatron.{name}", f"{_ACTOR}.megatron.{name}")


def _each(node: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{node}.{name}" for name in names)


_ENGINES = (
    "engine_num", "tensor_parallel_size", "enforce_eager", "enable_prefix_caching", "enable_chunked_prefill",
    "gpu_memory_utilization", "dtype", "seed", "enable_thinking", "enable_history", "enable_openai_api",
    "enable_auto_tool_choice", "tool_call_parser", "reasoning_parser",
)  # fmt: skip
PARAMETERS: dict[str, dict[str, tuple[str, ...]]] = {
    "Run": {
        "project": ("project",),
        "exp_name": ("name",),
        "checkpoint_root_dir": ("checkpoint_root_dir",),
        "monitor_type": ("monitor.monitor_type",),
        "log_level": ("log.level",),
        "save_interval": ("trainer.save_interval",),
        "resume_mode": ("continue_from_checkpoint", f"{_OLD}.trainer.resume_mode"),
        "resume_from_path": (f"{_OLD}.trainer.resume_from_path",),
        "default_hdfs_dir": (f"{_OLD}.trainer.default_hdfs_dir",),
        "del_local_ckpt_after_load": (f"{_OLD}.trainer.del_local_ckpt_after_load",),
        "max_actor_ckpt_to_keep": ("trainer.max_checkpoints_to_keep", f"{_OLD}.trainer.max_actor_ckpt_to_keep"),
        "max_critic_ckpt_to_keep": (f"{_OLD}.trainer.max_critic_ckpt_to_keep",),
        "enable_preview": ("trainer.enable_preview",),
    },
    "Cluster": {
        "node_num": ("cluster.node_num",),
        "gpu_per_node": ("cluster.gpu_per_node",),
    },
    "Model": {
        "model_path": ("model.model_path",),
        "critic_model_path": ("model.critic_model_path",),
        "max_prompt_tokens": ("model.max_prompt_tokens",),
        "min_response_tokens": ("model.min_response_tokens",),
        "max_response_tokens": ("model.max_response_tokens",),
        "max_model_len": ("model.max_model_len",),
    },
    "Data": {
        "total_epochs": ("buffer.total_epochs",),
        "total_steps": ("buffer.total_steps", "trainer.total_steps"),
        "explore_batch_size": ("buffer.batch_size",),
        "train_batch_size": ("buffer.train_batch_size",),
        "taskset_path": (f"{_TASKS}.path",),
        "taskset_args": _each(_TASKS, "name", "split", "subset_name", "format.prompt_key", "format.response_key",
                              "rollout_args.temperature", "rollout_args.logprobs"),
        "eval_tasksets": _each(_EVALS, "name", "path", "split", "subset_name", "format.prompt_key",
                               "format.response_key", "rollout_args.temperature", "rollout_args.logprobs",
                               "repeat_times"),
        "default_workflow_type": ("buffer.explorer_input.default_workflow_type",),
        "default_eval_workflow_type": ("buffer.explorer_input.default_eval_workflow_type",),
        "default_reward_fn_type": ("buffer.explorer_input.default_reward_fn_type",),
        "storage_type": (f"{_BUFFER}.storage_type",),
        "experience_buffer_path": (f"{_BUFFER}.path",),
        "buffer_max_retry_times": (f"{_BUFFER}.max_retry_times",),
        "max_retry_interval": (f"{_BUFFER}.max_retry_interval",),
        "enable_replay_buffer": (f"{_BUFFER}.replay_buffer.enable",),
        "reuse_cooldown_time": (f"{_BUFFER}.replay_buffer.reuse_cooldown_time",),
        "priority_fn": (f"{_BUFFER}.replay_buffer.priority_fn",),
        "priority_fn_args": (f"{_BUFFER}.replay_buffer.priority_fn_args",),
        "dpo_dataset_kwargs": _each(_BUFFER, "split", "subset_name", "format.prompt_type", "format.prompt_key",
                                    "format.chosen_key", "format.rejected_key"),
        "sft_dataset_kwargs": _each(_BUFFER, "split", "subset_name", "format.prompt_type", "format.prompt_key",
                                    "format.response_key", "format.messages_key"),
    },
    "Rollout and weight sync": {
        "runner_per_model": ("explorer.runner_per_model",),
        "eval_interval": ("explorer.eval_interval",),
        **{name: (f"{_ENGINE}.{name}",) for name in _ENGINES},
        "auxiliary_models": _each(_HELPER, "model_path", *_ENGINES),
        "sync_method": ("synchronizer.sync_method",),
        "sync_style": ("synchronizer.sync_style",),
        "sync_interval": ("synchronizer.sync_interval",),
        "sync_timeout": ("synchronizer.sync_timeout",),
    },
    "Algorithm": {
        "algorithm_type": ("algorithm.algorithm_type", "mode"),
        "repeat_times": ("algorithm.repeat_times",),
        "sample_strategy": ("algorithm.sample_strategy",),
        "expert_data_ratio_in_sample_strategy": ("algorithm.sample_strategy_args.expert_data_ratio",),
        "advantage_fn": ("algorithm.advantage_fn",),
        **{f"{name}_in_advantage_fn": (f"algorithm.advantage_fn_args.{name}",)
           for name in ("gamma", "lam", "epsilon", "opmd_baseline", "tau")},
        "kl_loss_fn": ("algorithm.kl_loss_fn",),
        "kl_coef_in_kl_loss_fn": ("algorithm.kl_loss_fn_args.kl_coef",),
        "kl_penalty_fn": ("algorithm.kl_penalty_fn",),
        "adaptive_in_kl_penalty_fn": ("algorithm.kl_penalty_fn_args.adaptive",),
        "kl_coef_in_kl_penalty_fn": ("algorithm.kl_penalty_fn_args.kl_coef",),
        "policy_loss_fn": ("algorithm.policy_loss_fn",),
        **{f"{name}_in_policy_loss_fn": (f"algorithm.policy_loss_fn_args.{name}",)
           for name in ("clip_range", "beta", "label_smoothing", "tau", "mu")},
        "sft_loss_agg_mode": ("algorithm.policy_loss_fn_args.loss_agg_mode",),
        "entropy_loss_fn": ("algorithm.entropy_loss_fn",),
        "entropy_coef_in_entropy_loss_fn": ("algorithm.entropy_loss_fn_args.entropy_coef",),
        # registered, but on none of its pages: the back end's own switches, and the functions that stand for them
        "norm_adv_by_std_in_grpo": ("algorithm.advantage_fn",),
        "use_kl_in_reward": ("algorithm.kl_penalty_fn",),
        "kl_penalty": ("algorithm.kl_penalty_fn",),
        "kl_ctrl_type": (f"{_OLD}.algorithm.kl_ctrl.type",),
        "kl_ctrl_coef": (f"{_OLD}.algorithm.kl_ctrl.kl_coef",),
        "horizon": (f"{_OLD}.algorithm.kl_ctrl.horizon",),
        "target_kl": (f"{_OLD}.algorithm.kl_ctrl.target_kl",),
    },
    "Training": {
        "trainer_type": ("trainer.trainer_type",),
        "training_strategy": ("trainer.trainer_strategy",),
        "actor_lr": ("algorithm.optimizer.lr",),
        "actor_lr_scheduler_type": ("algorithm.optimizer.lr_scheduler_type",),
        "actor_warmup_style": ("algorithm.optimizer.lr_scheduler_type",),
        "actor_lr_warmup_steps_ratio": ("algorithm.optimizer.lr_warmup_steps_ratio",),
        "actor_grad_clip": ("algorithm.optimizer.clip_grad", "trainer.grad_clip"),
        "ppo_epochs": (f"{_ACTOR}.ppo_epochs",),
        "actor_ppo_micro_batch_size_per_gpu": (f"{_ACTOR}.ppo_micro_batch_size_per_gpu",),
        "ref_log_prob_micro_batch_size_per_gpu": (f"{_ARR}.ref.log_prob_micro_batch_size_per_gpu",),
        "actor_ppo_max_token_len_per_gpu": ("trainer.max_token_len_per_gpu",),
        "actor_ulysses_sequence_parallel_size": ("trainer.ulysses_sequence_parallel_size",),
        "training_args": (f"{_OLD}.trainer.balance_batch", f"{_ARR}.model.enable_gradient_checkpointing",
                          f"{_ARR}.model.use_remove_padding", "trainer.use_dynamic_bsz",
                          f"{_ARR}.model.use_fused_kernels"),
        "impl_backend": (f"{_ARR}.model.fused_kernel_options.impl_backend",),
        "actor_entropy_from_logits_with_chunking": (f"{_ACTOR}.entropy_from_logits_with_chunking",),
        "actor_entropy_checkpointing": (f"{_ACTOR}.entropy_checkpointing",),
        "param_offload": _three("param_offload"),
        "optimizer_offload": _three("optimizer_offload"),
        "grad_offload": ("trainer.grad_offload", f"{_ACTOR}.megatron.grad_offload", f"{_CRITIC}.megatron.grad_offload"),
        "forward_prefetch": (f"{_ACTOR}.fsdp_config.forward_prefetch", f"{_CRITIC}.model.fsdp_config.forward_prefetch"),
        "offload_policy": ("trainer.offload_policy", f"{_ACTOR}.fsdp_config.offload_policy"),
        "reshard_after_forward": (f"{_ACTOR}.fsdp_config.reshard_after_forward",),
        **{name: _megatron(name) for name in (
            "tensor_model_parallel_size", "pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size",
            "expert_model_parallel_size", "expert_tensor_parallel_size", "context_parallel_size", "sequence_parallel",
        )},
        **{name: (f"{_ACTOR}.megatron.{name}",) for name in (
            "use_distributed_optimizer", "use_dist_checkpointing", "dist_checkpointing_path", "use_mbridge")},
        **{name: (f"{_ACTOR}.megatron.override_transformer_config.{name}",) for name in (
            "recompute_granularity", "recompute_modules", "recompute_method", "recompute_num_layers")},
        "actor_save_checkpoint": ("trainer.save_hf_checkpoint", f"{_ACTOR}.checkpoint.save_contents"),
        "actor_load_checkpoint": (f"{_ACTOR}.checkpoint.load_contents",),
    },
    "Critic": {
        "critic_lr": (f"{_CRITIC}.optim.lr",),
        "critic_lr_scheduler_type": (f"{_CRITIC}.optim.lr_scheduler_type",),
        "critic_warmup_style": (f"{_CRITIC}.optim.lr_scheduler_type",),
        "critic_lr_warmup_steps_ratio": (f"{_CRITIC}.optim.lr_warmup_steps_ratio",),
        "critic_grad_clip": (f"{_CRITIC}.optim.clip_grad", f"{_CRITIC}.grad_clip"),
        "critic_cliprange_value": (f"{_CRITIC}.cliprange_value",),
        "critic_ppo_micro_batch_size_per_gpu": (f"{_CRITIC}.ppo_micro_batch_size_per_gpu",),
        "critic_ulysses_sequence_parallel_size": (f"{_CRITIC}.ulysses_sequence_parallel_size",),
        "critic_save_checkpoint": (f"{_CRITIC}.checkpoint.save_contents",),
        "critic_load_checkpoint": (f"{_CRITIC}.checkpoint.load_contents",),
        "critic_warmup": ("trainer.critic_warmup", f"{_OLD}.trainer.critic_warmup"),
    },
}  # fmt: skip
SHOWN = ("trainer_gpu_num_display",)
"""What the generator only shows: it follows from the other values, and the page says it beside them."""
