"""Some fields of the plan count for some kinds of run only: a supervised run has no rollouts, rewards or critic."""

from __future__ import annotations

from fnmatch import fnmatchcase

WITHOUT_ROLLOUTS = ("sft", "dpo", "offline_distill")
"""Kinds of runs that learn from data alone: one step of every counter is one update, and there are no engines."""

WITH_ROLLOUTS = ("rl", "distill")
"""Kinds of runs that learn from the policy's own answers: rewards make their advantages, or a teacher does."""

NAMES = {
    "rl": "a reinforcement learning run", "sft": "a supervised run", "dpo": "a DPO run", "distill": "an on-policy distillation run",
    "offline_distill": "a distillation run", "eval": "an evaluation run", "generate": "a generation run",
}  # fmt: skip
"""What a kind of run is called in sentences."""

SUPERVISED = (
    "identity.*", "cluster.*", "stage.name", "stage.kind", "stage.init_from",
    "stage.model.path", "stage.model.tokenizer_path", "stage.model.trust_remote_code", "stage.model.chat_template",
    "stage.model.config_overrides", "stage.model.rope_*",
    "stage.length.model_max_tokens",
    "stage.batch.sequences_per_update", "stage.batch.micro.*", "stage.batch.balance_ranks",
    "stage.run_length.*", "stage.placement.actor.*",
    "stage.algorithm.loss_agg", "stage.algorithm.loss_agg_tokens", "stage.algorithm.loss_norm_scope",
    "stage.optim.actor.*",
    "stage.model_options.lora.*", "stage.model_options.gradient_checkpointing",
    "stage.model_options.activation_offload", "stage.model_options.remove_padding", "stage.model_options.liger",
    "stage.model_options.fused_kernels",
    "stage.data.*", "stage.checkpoint.*", "stage.cadence.save_rollouts", "stage.cadence.eval_rollouts",
)  # fmt: skip
"""Globs over plan paths. A rollout period of a supervised run is one update."""
NOT_SUPERVISED = (
    "stage.checkpoint.critic_keep", "stage.data.*[].workflow*", "stage.data.*[].reward*", "stage.data.*[].sampling.*",
    "stage.data.*[].reply_prefix", "stage.placement.actor.entropy_*", "stage.placement.actor.torch_compile",
    "stage.data.rows", "stage.data.mixing",
)  # fmt: skip


PREFERENCE = (
    "stage.algorithm.preference.*", "stage.algorithm.kl_loss.*", "stage.algorithm.entropy_coef", "stage.placement.reference.*",
    "stage.batch.log_prob.*", "stage.batch.reference.*",
)  # fmt: skip
"""What a run on pairs of answers reads besides: its loss, and the reference that the loss is taken against."""


EVALUATED = (
    "identity.*", "cluster.*", "stage.name", "stage.kind", "stage.model.path", "stage.model.tokenizer_path",
    "stage.model.trust_remote_code", "stage.model.chat_template", "stage.model.thinking", "stage.model.rope_*",
    "stage.length.prompt_max_tokens", "stage.length.response_max_tokens", "stage.length.response_min_tokens",
    "stage.length.model_max_tokens", "stage.placement.rollout.*", "stage.sampling.eval.*", "stage.data.eval*",
    "stage.data.domains*", "stage.data.environments*", "stage.turns.*",
    "stage.reward.*",
)  # fmt: skip
"""What a run that only evaluates reads: the model, the engines, the evaluation sets, their sampling and their reward."""


def counts_for_evaluation(path: str) -> bool:
    """True when a run that only evaluates reads the plan field `path`."""
    return any(fnmatchcase(path, glob) for glob in EVALUATED)


def counts_for_supervised(path: str) -> bool:
    """True when a supervised run reads the plan field `path` (list items written `[]`)."""
    taken = any(fnmatchcase(path, glob) for glob in SUPERVISED)
    return taken and not any(fnmatchcase(path, glob.replace("[]", "[[]]")) for glob in NOT_SUPERVISED)


def counts_for_preference(path: str) -> bool:
    """True when a run on pairs of answers reads the plan field `path` (list items written `[]`)."""
    return counts_for_supervised(path) or any(fnmatchcase(path, glob) for glob in PREFERENCE)
