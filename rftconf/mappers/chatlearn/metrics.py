"""Names under which ChatLearn 2025.10.23 logs what a run measures."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.mappers.logged import Counter, Logged
from rftconf.plan.units import Unit

_ROLLOUT = ("chatlearn/models/sglang_module.py", "metric_collect")
_TRAIN = ("chatlearn/algorithm/grpo_utils/policy_trainer.py", "train_step")
_TIME = ("chatlearn/runtime/engine.py", "logging_summary")


def _chatlearn(name: str, file: str, function: str, differs: str = "", since: str = "") -> Logged:
    """Name a metric whose code has only the last part of it; the rest is put before it where it is collected."""
    return Logged(name, file, function, differs, name.rpartition("/")[2], since=since)


COUNTERS = (
    Counter("chatlearn", "", Unit.ROLLOUTS, 1, ("step", "_step"), "one run; a step is an episode, logged from 1"),
)
LOGGED: Mapping[str, Logged] = {
    "mean score of a sequence, before any KL penalty": _chatlearn(
        "rule_reward/train_reward_score",
        "chatlearn/models/reward/rule_reward.py",
        "forward_step",
        "averaged over batches of the reward model, each of which counts the same",
    ),
    "share of right answers in validation, a data set at a time": Logged(
        "eval/eval_{source}",
        "chatlearn/algorithm/grpo.py",
        "post_process",
        "mean rule reward, which need not be 0 or 1",
        '"eval_" + key',
    ),
    "mean length of an answer in validation, a data set at a time": Logged(
        "eval/eval_{source}_response_length",
        "chatlearn/algorithm/grpo.py",
        "post_process",
        text='"_response_length"',
        since="2025.10.23",
    ),
    "mean length of an answer": _chatlearn("rollout/response_token_length", *_ROLLOUT),
    "largest length of an answer": _chatlearn("rollout/response_max", *_ROLLOUT, since="2025.10.23"),
    "mean length of a prompt": _chatlearn("rollout/prompt_token_length", *_ROLLOUT),
    "share of answers that reach the longest length": _chatlearn(
        "rollout/response_clip_ratio", *_ROLLOUT, "of the configured length"
    ),
    "policy-gradient loss": _chatlearn("policy_trainer/pg_loss", *_TRAIN),
    "KL loss between policy and reference, before its coefficient": _chatlearn(
        "policy_trainer/kl_loss", *_TRAIN, "always k3 clamped at 10, mean over tokens"
    ),
    "entropy during the updates": _chatlearn("policy_trainer/entropy_loss", *_TRAIN, "mean over tokens"),
    "norm of the policy's gradient before clipping": _chatlearn("policy_trainer/grad_norm", *_TRAIN),
    "time to generate one period's answers": _chatlearn(
        "engine/timer_summary/environment", *_TIME, "with rewards, old and reference log-probs"
    ),
    "time to update the policy": _chatlearn("engine/timer_summary/train", *_TIME),
    "time to bring new weights to the engines": _chatlearn("engine/timer_summary/sync_parameters", *_TIME),
    "time of one whole step": _chatlearn("engine/timer_summary/episode", *_TIME),
    "time to save a checkpoint": _chatlearn("engine/timer_summary/save_checkpoint", *_TIME),
    "time of one validation": _chatlearn("engine/timer_summary/evaluate", *_TIME),
}
"""A quantity, in the words of the table of metrics, and its name here."""
