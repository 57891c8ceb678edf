"""What one framework's key is called in another, read off the plan fields that both tables speak for."""

from __future__ import annotations

from functools import cache, lru_cache

_ACTOR, _TRAINER = "actor_rollout_ref.actor", "models.policy_trainer"
_TASKS, _EVALS = "buffer.explorer_input.tasksets[]", "buffer.explorer_input.eval_tasksets[]"
FOLDED: dict[str, dict[str, str]] = {
    "verl": {
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
    },
    "trinity": {
        "stage.batch.prompts_per_rollout": "buffer.batch_size",
        "stage.batch.sequences_per_update": "buffer.train_batch_size",
        "stage.sync.every_rollouts": "synchronizer.sync_interval",
        "stage.sync.run_ahead_rollouts": "synchronizer.sync_offset",
        "stage.run_length.rollouts": "buffer.total_steps",
        "stage.run_length.epochs": "buffer.total_epochs",
        "stage.algorithm.advantage": "algorithm.advantage_fn",
        "stage.algorithm.gamma": "algorithm.advantage_fn_args.gamma",
        "stage.algorithm.lam": "algorithm.advantage_fn_args.lam",
        "stage.algorithm.policy_loss.family": "algorithm.policy_loss_fn",
        "stage.algorithm.policy_loss.clip_low": "algorithm.policy_loss_fn_args.clip_range_low",
        "stage.algorithm.policy_loss.clip_high": "algorithm.policy_loss_fn_args.clip_range_high",
        "stage.algorithm.loss_agg": "algorithm.loss_agg_mode",
        "stage.algorithm.kl_loss.estimator": "algorithm.kl_loss_fn",
        "stage.algorithm.kl_loss.coef": "algorithm.kl_loss_fn_args.kl_coef",
        "stage.algorithm.kl_reward.estimator": "algorithm.kl_penalty_fn",
        "stage.algorithm.kl_reward.coef": "algorithm.kl_penalty_fn_args.kl_coef",
        "stage.algorithm.entropy_coef": "algorithm.entropy_loss_fn_args.entropy_coef",
        "stage.data.train[].uri": f"{_TASKS}.path",
        "stage.data.train[].split": f"{_TASKS}.split",
        "stage.data.eval[].uri": f"{_EVALS}.path",
        "stage.data.eval[].split": f"{_EVALS}.split",
        "stage.model_options.lora.rank": "model.lora_configs[].lora_rank",
        "stage.model_options.lora.alpha": "model.lora_configs[].lora_alpha",
    },
    "roll": {
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
        "stage.placement.rollout.gpu_memory_fraction": (
            "actor_infer.strategy_args.strategy_config.gpu_memory_utilization"
        ),
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
    },
    "chatlearn": {
        "stage.algorithm.kl_loss.coef": f"{_TRAINER}.kl_coef",
        "stage.algorithm.entropy_coef": f"{_TRAINER}.entropy_coef",
        "stage.batch.micro.dynamic": f"{_TRAINER}.packing",
        "stage.batch.micro.sequences_per_rank": "runtime_args.train_micro_batch_size",
        "stage.batch.micro.tokens_per_rank": f"{_TRAINER}.max_token_in_packing",
        "stage.length.prompt_max_tokens": "models.policy.max_prompt_tokens_length",
        "stage.length.response_max_tokens": "models.policy.max_response_tokens_length",
        "stage.length.model_max_tokens": "models.policy.seq_length",
        "stage.model.path": "models.policy.load",
        "stage.model.tokenizer_path": f"{_TRAINER}.tokenizer_model",
        "stage.optim.actor.min_lr": f"{_TRAINER}.optimizer.min_lr",
        "stage.data.train[].uri": "runtime_args.data_path",
        "stage.data.eval[].uri": "runtime_args.eval_data_path",
        "stage.placement.actor.gpus": f"{_TRAINER}.num_gpu",
        "stage.placement.rollout.gpus": "models.policy.num_gpu",
    },
}
"""Where several keys and several fields only mean something together: the key that a person looks for under a field."""


@lru_cache(maxsize=16)
def counterparts(theirs: str, ours: str) -> dict[str, str]:
    """Keys of framework `theirs` to the key of `ours` for the same plan field; the main key where there are several."""
    our_keys: dict[str, str] = {}
    for native, plan in pairs(ours):
        our_keys.setdefault(plan, native)
    our_key_by_theirs: dict[str, str] = {}
    for native, plan in pairs(theirs):
        if plan in our_keys:
            our_key_by_theirs.setdefault(native, our_keys[plan])
    return our_key_by_theirs


@lru_cache(maxsize=20_000)
def other_framework(key: str, ours: str) -> str:
    """Whose name a key is, and what it is called here; empty where no framework has it."""
    from rftconf.schemas import catalogue, registry

    for name, framework in registry.FRAMEWORKS.items():
        if name == registry.framework(ours).family:
            continue
        if any(key in catalogue.load(name, None, trainer) for trainer in framework.trainers):
            return f"that is {framework.title}'s name; {registry.framework(ours).title} {name_here(key, name, ours)}"
    return ""


def name_here(key: str, theirs: str, ours: str) -> str:
    """What is said of framework `theirs`' key in a file of `ours`: its name, or that there is no one name for it."""
    from rftconf.mappers.rows import natives_of
    from rftconf.mappers.tables import table_of

    counterpart = counterparts(theirs, ours).get(key)
    if counterpart:
        return f"calls it {counterpart}"
    means_something = any(key in natives_of(row) for row in table_of(theirs).rows)
    return "has no one key for it" if means_something else "has nothing like it"


@cache
def pairs(framework: str) -> tuple[tuple[str, str], ...]:
    """Native keys and the plan fields that they speak for: a row's own first, then aliases, then what folds share."""
    from rftconf.mappers.rows import Each, Fold, Row, natives_of, plans_of
    from rftconf.mappers.tables import table_of

    ranked: list[tuple[int, str, str]] = []
    for row in table_of(framework).rows:
        if isinstance(row, Row):
            ranked.append((int(row.alias or row.read_only), row.native, row.plan))
        elif isinstance(row, Each):
            ranked += [(0, native, plan) for native, plan in zip(natives_of(row), plans_of(row), strict=True)]
        elif isinstance(row, Fold) and row.natives and (len(row.natives) == 1 or len(row.plans) == 1):
            ranked.append((2, row.natives[0], row.plans[0]))
    ranked += [(-1, native, plan) for plan, native in FOLDED.get(framework, {}).items()]
    return tuple((native, plan) for _, native, plan in sorted(ranked, key=lambda entry: entry[0]))
