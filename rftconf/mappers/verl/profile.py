"""Facts about veRL's keys that the tables do not hold: gates, units, names in the studio's form."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.mappers.profiles import Profile, below, counted
from rftconf.mappers.program import Program

_ACTOR, _CRITIC, _TURNS = "actor_rollout_ref.actor", "critic", "actor_rollout_ref.rollout.multi_turn"
TABLES = {
    ("verl", ""): ("table", "VERL"),
    ("verl", "eval"): ("table_eval", "VERL_EVAL_ONLY"),
    ("verl", "generate"): ("table_eval", "VERL_SERVER"),
    ("verl_sft", ""): ("table_sft", "VERL_SFT"),
    ("verl_fsdp_sft", ""): ("table_sft", "VERL_FSDP_SFT"),
    ("verl_eval", ""): ("rows_offline", "VERL_EVAL"),
    ("verl_generation", ""): ("rows_offline", "VERL_GENERATION"),
}

MAIN_KEYS = {
    "stage.algorithm.advantage": "algorithm.adv_estimator",
    "stage.algorithm.std_scope": "algorithm.norm_adv_by_std_in_grpo",
    "stage.algorithm.policy_loss.family": f"{_ACTOR}.policy_loss.loss_mode",
    "stage.algorithm.loss_agg": f"{_ACTOR}.loss_agg_mode",
    "stage.algorithm.loss_agg_tokens": f"{_ACTOR}.loss_scale_factor",
    "stage.algorithm.rollout_correction": "algorithm.rollout_correction.*",
    "stage.run_length.epochs": "trainer.total_epochs",
    "stage.run_length.rollouts": "trainer.total_training_steps",
    "stage.optim.actor.warmup_updates": f"{_ACTOR}.optim.lr_warmup_steps",
    "stage.optim.critic.warmup_updates": "critic.optim.lr_warmup_steps",
    "stage.data.train[].uri": "data.train_files",
    "stage.data.eval[].uri": "data.val_files",
    "stage.data.train[].keys.prompt": "data.prompt_key",
    "stage.data.seed": "data.seed",
    "stage.algorithm.filters[].kind": "algorithm.filter_groups.enable",
    "stage.algorithm.filters[].metric": "algorithm.filter_groups.metric",
    "cluster.nodes": "trainer.nnodes",
    "cluster.gpus_per_node": "trainer.n_gpus_per_node",
}

UNITS = {
    **counted("prompts", "data.train_batch_size", "data.val_batch_size"),
    **counted("rollout periods", "trainer.total_training_steps", "trainer.critic_warmup"),
    **counted("epochs", "trainer.total_epochs"),
    **counted("GPUs", f"{_ACTOR}.ulysses_sequence_parallel_size", "trainer.n_gpus_per_node",
               "actor_rollout_ref.rollout.tensor_model_parallel_size"),
    **counted("nodes", "trainer.nnodes"),
    **counted("answers a prompt", "actor_rollout_ref.rollout.n", "actor_rollout_ref.rollout.val_kwargs.n"),
}  # fmt: skip

PARAMETERS = {
    "resume_from_path": ("trainer.resume_from_path",),
    "default_hdfs_dir": ("trainer.default_hdfs_dir",),
    "del_local_ckpt_after_load": ("trainer.del_local_ckpt_after_load",),
    "taskset_args": ("data.prompt_key", "data.shuffle", "actor_rollout_ref.rollout.temperature"),
    "eval_tasksets": ("data.val_files", "data.val_batch_size",
                      *below("actor_rollout_ref.rollout.val_kwargs", "n", "temperature", "top_p", "do_sample")),
    "default_workflow_type": ("actor_rollout_ref.rollout.agent.default_agent_loop",),
    "default_reward_fn_type": ("reward.custom_reward_function.path", "reward.custom_reward_function.name",
                               "data.reward_fn_key"),
    "runner_per_model": ("actor_rollout_ref.rollout.agent.num_workers",),
    "engine_num": ("actor_rollout_ref.rollout.name", "actor_rollout_ref.rollout.nnodes",
                   "actor_rollout_ref.rollout.n_gpus_per_node"),
    "enable_auto_tool_choice": below(_TURNS, "enable", "tool_config_path"),
    "tool_call_parser": (f"{_TURNS}.format",),
    "sync_style": ("trainer.v1.trainer_mode",),
    "sync_interval": ("trainer.v1.separate_async.parameter_sync_step",),
    "norm_adv_by_std_in_grpo": ("algorithm.norm_adv_by_std_in_grpo",),
    "kl_loss_fn": (f"{_ACTOR}.use_kl_loss", f"{_ACTOR}.kl_loss_type"),
    "use_kl_in_reward": ("algorithm.use_kl_in_reward",),
    "kl_ctrl_type": ("algorithm.kl_ctrl.type",),
    "adaptive_in_kl_penalty_fn": ("algorithm.kl_ctrl.type",),
    "kl_ctrl_coef": ("algorithm.kl_ctrl.kl_coef",),
    "horizon": ("algorithm.kl_ctrl.horizon",),
    "target_kl": ("algorithm.kl_ctrl.target_kl",),
    "clip_range_in_policy_loss_fn": below(_ACTOR, "clip_ratio", "clip_ratio_low", "clip_ratio_high", "clip_ratio_c"),
    "sft_loss_agg_mode": (f"{_ACTOR}.loss_agg_mode",),
    "actor_lr_warmup_steps_ratio": (f"{_ACTOR}.optim.lr_warmup_steps_ratio", f"{_ACTOR}.optim.lr_warmup_steps"),
    "training_args": ("trainer.balance_batch", "actor_rollout_ref.model.enable_gradient_checkpointing",
                      "actor_rollout_ref.model.use_remove_padding", f"{_ACTOR}.use_dynamic_bsz",
                      "actor_rollout_ref.model.use_fused_kernels"),
    "impl_backend": ("actor_rollout_ref.model.fused_kernel_options.impl_backend",),
    **{name: (f"{_ACTOR}.megatron.override_transformer_config.{name}",) for name in (
        "recompute_granularity", "recompute_modules", "recompute_method", "recompute_num_layers")},
    "critic_lr_warmup_steps_ratio": (f"{_CRITIC}.optim.lr_warmup_steps_ratio",),
    "critic_ulysses_sequence_parallel_size": (f"{_CRITIC}.fsdp.ulysses_sequence_parallel_size",
                                              f"{_CRITIC}.ulysses_sequence_parallel_size"),
    "critic_save_checkpoint": (f"{_CRITIC}.checkpoint.save_contents",),
    "critic_load_checkpoint": (f"{_CRITIC}.checkpoint.load_contents",),
}  # fmt: skip

PROGRAM = Program(
    "fsdp",
    opens_evaluation=True,
    decisions=(
        Decision(
            "reward.custom_reward_function.path",
            "without a function veRL's built-in scorer chooses by each row's data_source",
            ("check that the rows have a data_source it knows", "or write a compute_score and name its file here"),
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
    validates_last_before="0.3.0",
)
