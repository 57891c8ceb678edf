"""Which fields of the plan count for a kind of run: a supervised run has no rollouts, no rewards and no critic."""

from __future__ import annotations

from fnmatch import fnmatchcase

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


EVALUATED = (
    "identity.*", "cluster.*", "stage.name", "stage.kind", "stage.model.path", "stage.model.tokenizer_path",
    "stage.model.trust_remote_code", "stage.model.chat_template", "stage.model.rope_*",
    "stage.length.prompt_max_tokens", "stage.length.response_max_tokens", "stage.length.response_min_tokens",
    "stage.length.model_max_tokens", "stage.placement.rollout.*", "stage.sampling.eval.*", "stage.data.eval*",
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
