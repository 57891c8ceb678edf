"""Facts about OpenRLHF's keys that the table does not hold: main keys and units."""

from __future__ import annotations

from rftconf.base.ledger import Decision
from rftconf.mappers.profiles import Profile, counted
from rftconf.mappers.program import Program

MAIN_KEYS = {
    "cluster.nodes": "actor.num_nodes",
    "cluster.gpus_per_node": "actor.num_gpus_per_node",
    "stage.placement.actor.gpus": "actor.num_gpus_per_node",
    "stage.placement.reference.gpus": "ref.num_gpus_per_node",
    "stage.placement.critic.gpus": "critic.num_gpus_per_node",
    "stage.placement.rollout.gpus": "vllm.num_engines",
    "stage.placement.rollout.tp": "vllm.tensor_parallel_size",
    "stage.placement.layout": "train.colocate_all",
    "stage.batch.prompts_per_rollout": "rollout.batch_size",
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
    **counted("prompts", "rollout.batch_size", "rollout.vllm_generate_batch_size"),
    **counted("answers a prompt", "rollout.n_samples_per_prompt", "eval.n_samples_per_prompt"),
    **counted("rollout periods", "train.async_queue_size", "logger.logging_steps"),
    **counted("engines", "vllm.num_engines"),
    **counted("nodes", "actor.num_nodes", "ref.num_nodes", "critic.num_nodes", "reward.num_nodes"),
}

PROGRAM = Program(
    "deepspeed",
    parks=((), ("optimizer", "param"), ("optimizer",)),
    sequence_gpus=(1, 2, 4, 8),
    values={"stage.placement.actor.zero_stage": 3},
    decisions=(
        Decision(
            "reward.remote_url",
            "answers are scored by a Python file with a reward_func, by a service or by a model",
            (
                "a file as OpenRLHF's examples/python/math_reward_func.py",
                "the address of a service",
                "--reward.model_name_or_path in its place",
            ),
        ),
        Decision(
            "data.input_key",
            "OpenRLHF reads a prompt from the column `input`, and an answer from none unless data.label_key names one",
            ("check the columns, and name others with --data.input_key and --data.label_key",),
        ),
    ),
)
"""Its example's stage of ZeRO: examples/scripts/train_ppo_ray_hybrid_engine.sh. A trainer that sleeps is faster than Adam on the
CPU, and takes more memory in an update."""

PROFILE = Profile(
    tables={("openrlhf", ""): ("table", "OPENRLHF")},
    metrics=True,
    adapter=True,
    main_keys=MAIN_KEYS,
    units=UNITS,
    program=PROGRAM,
)
