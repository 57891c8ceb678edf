"""Some fields of the plan count for some kinds of run only: a supervised run has no rollouts, rewards or critic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    "stage.data.rows", "stage.data.mixing", "stage.optim.actor.updates_per_tick",
)  # fmt: skip


PREFERENCE = (
    "stage.algorithm.preference.*", "stage.algorithm.kl_loss.*", "stage.algorithm.entropy_coef", "stage.placement.reference.*",
    "stage.batch.log_prob.*", "stage.batch.reference.*",
)  # fmt: skip
"""What a run on pairs of answers reads besides: its loss, and the reference that the loss is taken against."""


EVALUATED = (
    "identity.*", "cluster.*", "stage.name", "stage.kind", "stage.model.path", "stage.model.tokenizer_path",
    "stage.model.trust_remote_code", "stage.model.chat_template", "stage.model.thinking", "stage.model.rope_*",
    "stage.length.prompt_max_tokens", "stage.length.response_max_tokens", "stage.length.response_min_tokens", "stage.optim.*.updates_per_tick",
    "stage.length.model_max_tokens", "stage.placement.rollout.*", "stage.sampling.eval.*", "stage.data.eval*",
    "stage.data.domains*", "stage.data.environments*", "stage.turns.*",
    "stage.reward.*",
)  # fmt: skip
"""What a run that only evaluates reads: the model, the engines, the evaluation sets, their sampling and their reward."""


LEARNING = (
    "stage.optim.*", "stage.algorithm.*", "stage.sync.*", "stage.run_length.*", "stage.checkpoint.*", "stage.cadence.*",
    "stage.model_options.*", "stage.seeds.minibatch", "stage.placement.actor.*", "stage.placement.reference.*",
    "stage.placement.critic.*", "stage.placement.layout", "stage.batch.*", "stage.reward.*", "stage.data.train*",
    "stage.sampling.train.*", "stage.model.critic*",
)  # fmt: skip
"""A run that only generates has no use for these: all that learns, and what scores its answers."""
ROLLED_OUT = (
    "stage.sync.*", "stage.sampling.*", "stage.reward.*", "stage.turns.*", "stage.placement.rollout.*", "stage.batch.prompts_*",
    "stage.batch.responses_per_prompt", "stage.batch.log_prob.*", "stage.algorithm.advantage*", "stage.algorithm.critic.*",
    "stage.algorithm.policy_loss.*", "stage.algorithm.kl_*", "stage.algorithm.std_*", "stage.algorithm.filters*",
    "stage.algorithm.divide_logits_by_temperature", "stage.algorithm.rollout_correction", "stage.placement.critic.*",
    "stage.optim.critic.*", "stage.length.response_min_tokens",
)  # fmt: skip
"""A run that learns from texts has no use for these: answers of its own, their rewards and what is made of them."""
TAUGHT = ("stage.algorithm.distillation.*",)
"""Only a run with a teacher reads these."""
COMPARED = ("stage.data.*.keys.chosen", "stage.data.*.keys.rejected")
"""Only a run on pairs of answers reads these."""
GIVEN = ("stage.data.*.trained_turns",)
"""Only a run that learns from conversations as they stand reads these."""
WITHOUT = {
    "rl": (*TAUGHT, *COMPARED, *GIVEN),
    "distill": (*COMPARED, *GIVEN),
    "sft": (*TAUGHT, *COMPARED),
    "dpo": (*TAUGHT, *GIVEN),
    "offline_distill": (*COMPARED, *ROLLED_OUT),
    "eval": (*TAUGHT, *COMPARED, *GIVEN),
    "generate": (*COMPARED, *GIVEN, *LEARNING),
}
"""Kind of run to globs over fields that such a run cannot have."""


def why_without(path: str, kind: object) -> str | None:
    """Tell why a run of `kind` has no field `path` (list items written `[]`); None where it may have one."""
    counts = READS.get(str(kind))
    lacks = counts is not None and not counts(path)
    if lacks or any(fnmatchcase(path, glob) for glob in WITHOUT.get(str(kind), ())):
        return f"{NAMES[str(kind)]} has no such setting"
    return None


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


READS: Mapping[str, Callable[[str], bool]] = {
    "sft": counts_for_supervised,
    "dpo": counts_for_preference,
    "eval": counts_for_evaluation,
}
"""Kinds of runs that read some of the fields. A run that follows a teacher reads more than samples: nothing is left out there."""
