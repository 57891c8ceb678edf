"""Facts about OpenRLHF's keys that the table does not hold: main keys and units."""

from __future__ import annotations

from rftconf.mappers.profiles import Profile, counted

MAIN_KEYS = {
    "cluster.nodes": "actor.num_nodes",
    "cluster.gpus_per_node": "actor.num_gpus_per_node",
    "stage.placement.actor.gpus": "actor.num_gpus_per_node",
    "stage.placement.reference.gpus": "ref.num_gpus_per_node",
    "stage.placement.critic.gpus": "critic.num_gpus_per_node",
    "stage.placement.rollout.gpus": "vllm.num_engines",
    "stage.placement.rollout.tp": "vllm.tensor_parallel_size",
    "stage.placement.layout": "train.colocate_all",
    "stage.batch.micro.sequences_per_rank": "train.micro_batch_size",
    "stage.batch.micro.tokens_per_rank": "train.max_tokens_per_gpu",
    "stage.batch.log_prob.sequences_per_rank": "rollout.micro_batch_size",
    "stage.length.prompt_max_tokens": "data.max_len",
    "stage.length.response_max_tokens": "rollout.max_new_tokens",
    "stage.length.model_max_tokens": "data.max_len",
    "stage.algorithm.advantage": "algo.advantage.estimator",
    "stage.algorithm.policy_loss.family": "actor.policy_loss_type",
    "stage.algorithm.policy_loss.clip_low": "actor.eps_clip_low_high",
    "stage.algorithm.policy_loss.clip_high": "actor.eps_clip_low_high",
    "stage.algorithm.loss_agg": "actor.loss_agg_mode",
    "stage.algorithm.kl_reward.enabled": "algo.kl.init_coef",
    "stage.algorithm.kl_reward.coef": "algo.kl.init_coef",
    "stage.algorithm.kl_loss.enabled": "algo.kl.use_loss",
    "stage.algorithm.kl_loss.coef": "algo.kl.init_coef",
    "stage.optim.actor.schedule": "actor.lr_scheduler",
    "stage.optim.actor.warmup_updates": "actor.lr_warmup_ratio",
    "stage.optim.actor.min_lr_ratio": "actor.min_lr_ratio",
    "stage.run_length.rollouts": "train.num_episodes",
    "stage.run_length.epochs": "train.num_episodes",
    "stage.sync.run_ahead_rollouts": "train.async_queue_size",
    "stage.model_options.lora.rank": "ds.lora.rank",
    "stage.model_options.lora.alpha": "ds.lora.alpha",
    "stage.data.train[].uri": "data.prompt_dataset",
    "stage.reward.function_path": "reward.remote_url",
    "identity.loggers": "logger.wandb.key",
}
UNITS = {
    **counted("sequences a rank", "train.micro_batch_size", "rollout.micro_batch_size"),
    **counted("tokens a GPU", "train.max_tokens_per_gpu", "rollout.max_tokens_per_gpu"),
    **counted("prompts", "rollout.vllm_generate_batch_size"),
    **counted("answers a prompt", "rollout.n_samples_per_prompt", "eval.n_samples_per_prompt"),
    **counted("rollout periods", "train.async_queue_size", "logger.logging_steps"),
    **counted("engines", "vllm.num_engines"),
    **counted("nodes", "actor.num_nodes", "ref.num_nodes", "critic.num_nodes", "reward.num_nodes"),
}

PROFILE = Profile(tables={("openrlhf", ""): ("table", "OPENRLHF")}, metrics=True, main_keys=MAIN_KEYS, units=UNITS)
