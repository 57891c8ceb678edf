"""Names under which ROLL 0.3.0 logs what a run measures, and what earlier releases do otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.mappers.logged import Counter, Logged, Older, by_statistic
from rftconf.plan.units import Unit

_VALUES = ("roll/utils/metrics/metrics_manager.py", "add_values_metrics")
_TOKENS = ("roll/utils/metrics/metrics_manager.py", "add_token_metrics")
_LOSS = ("roll/pipeline/rlvr/actor_worker.py", "loss_func")
_REWARD_KL = ("roll/utils/functionals.py", "compute_token_reward")
_GRAD = ("roll/distributed/strategy/fsdp2_strategy.py", "train_step")
_WORKER = ("roll/pipeline/base_worker.py", "train_step")
_CRITIC = ("roll/pipeline/base_worker.py", "loss_func")
_RUN = ("roll/pipeline/rlvr/rlvr_pipeline.py", "run")


def _sum(name: str, differs: str = "") -> Logged:
    """Name a metric that tells how it is added up; 0.1 and some workers of later releases leave that out."""
    return Logged(f"{name}@sum", *_LOSS, differs, older=(Older(name, "0.1.3"),))


COUNTERS = (
    Counter(
        "roll",
        "",
        Unit.ROLLOUTS,
        0,
        ("step", "_step", "system/global_step", "system/step"),
        "one run; a step is a rollout period, counted from 0",
    ),
)


def _prefixed(name: str, file: str, function: str, differs: str = "") -> Logged:
    """Name a quantity in whose name the code puts a prefix of its own before the rest."""
    return Logged(name, file, function, differs, text=f"{{prefix}}/{name.partition('/')[2]}")


LOGGED: Mapping[str, Logged] = {
    "mean score of a sequence, before any KL penalty": _prefixed(
        "critic/score/mean", *_VALUES, "over all domains together; {domain}/… has each"
    ),
    "largest score of a sequence, before any KL penalty": _prefixed("critic/score/max", *_VALUES),
    "smallest score of a sequence, before any KL penalty": _prefixed("critic/score/min", *_VALUES),
    "share of right answers in training": _prefixed(
        "critic/correct/mean", *_VALUES, "answers whose score is exactly 1"
    ),
    **by_statistic(
        _prefixed,
        "reward of a sequence, KL penalty taken off",
        "critic/rewards",
        *_VALUES,
        "normalised first, as the config says",
    ),
    **by_statistic(_prefixed, "advantage of a token of an answer", "critic/advantages", *_VALUES),
    **by_statistic(_prefixed, "return of a token of an answer", "critic/returns", *_VALUES),
    **by_statistic(_prefixed, "critic's value of a token of an answer", "critic/values", *_VALUES),
    "share of right answers in validation, a data set at a time": Logged(
        "val_correct/{source}/mean",
        "roll/pipeline/rlvr/rlvr_pipeline.py",
        "val",
        "before the updates of its step; answers whose score is exactly 1; {source} is the tag",
        "val_correct",
        behind=1,
    ),
    **by_statistic(_prefixed, "length of an answer", "token/response_length", *_TOKENS),
    **by_statistic(_prefixed, "length of a prompt", "token/prompt_length", *_TOKENS),
    "policy-gradient loss": _sum("actor/pg_loss", "summed over micro-batches that are divided by global counts"),
    "loss that is differentiated: policy gradient, entropy, KL": _sum("actor/total_loss"),
    "KL loss between policy and reference, before its coefficient": _sum("actor/kl_loss"),
    "KL that is taken off the reward": Logged(
        "{domain}/critic/kl",
        *_REWARD_KL,
        "a domain at a time; without its name in the agentic pipeline",
        '"critic/kl"',
        older=(Older("critic/kl"),),
    ),
    "coefficient of the KL in the reward": Logged(
        "{domain}/critic/kl_coef", *_REWARD_KL, text='"critic/kl_coef"', older=(Older("critic/kl_coef"),)
    ),
    "entropy of the policy before the updates": Logged(
        "critic/entropy/mean", *_VALUES, "0 where old log-probs are not computed again", "{prefix}/entropy/mean"
    ),
    "share of tokens whose ratio is clipped": _sum(
        "actor/clipfrac", "aggregated as the loss is, not as a mean over tokens"
    ),
    "norm of the policy's gradient before clipping": Logged("actor_train/grad_norm", *_GRAD, text="/grad_norm"),
    "learning rate of the policy": Logged("actor/lr", *_WORKER, "the last of the period"),
    "norm of the critic's gradient before clipping": Logged("critic/grad_norm", *_GRAD, text="/grad_norm"),
    "learning rate of the critic": Logged("critic/lr", *_WORKER),
    "loss of the critic": Logged("critic/loss", *_CRITIC),
    "share of values that are clipped": Logged("critic/clipfrac", *_CRITIC),
    "time to generate one period's answers": Logged(
        "time/step_generate", *_RUN, "with rewards, which are computed as answers arrive"
    ),
    "time to update the policy": Logged("time/step_train", *_RUN, "with the critic"),
    "time for the policy's log-probs before the updates": Logged("time/old_log_probs", *_RUN),
    "time for the reference's log-probs": Logged("time/ref_log_probs_values", *_RUN, "with the critic's values"),
    "time to bring new weights to the engines": Logged("time/step_model_update", *_RUN),
    "time of one whole step": Logged("time/step_total", *_RUN, "of the step before", since="0.1.3"),
    "time of one validation": Logged("time/val_step", *_RUN, behind=1),
    "tokens of a period by time and GPU": Logged(
        "system/tps_gpu",
        "roll/utils/metrics/metrics_manager.py",
        "add_system_metrics",
        "prompts counted too, averaged over the last steps",
    ),
}
"""A quantity, in the words of the table of metrics, and its name here."""
