"""Names under which veRL 0.9.1 logs what a run measures, and what earlier releases do otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.mappers.logged import Counter, Logged, Older, by_statistic
from rftconf.plan.units import Unit

_DATA = ("verl/trainer/ppo/metric_utils.py", "compute_data_metrics")
_VAL = ("verl/trainer/ppo/v1/trainer_base.py", "_val_metrics_update")
_LOSS = ("verl/workers/utils/losses.py", "ppo_loss")
_WORKER = ("verl/workers/engine_workers.py", "_postprocess_output")
_KL = ("verl/trainer/ppo/ray_trainer.py", "apply_kl_penalty")
_CLIP = ("verl/trainer/ppo/core_algos.py", "compute_policy_loss_vanilla")
_VALUE = ("verl/workers/utils/losses.py", "value_loss")
_TIME = ("verl/trainer/ppo/v1/trainer_base.py", "_step_once")
_FIT = ("verl/trainer/ppo/v1/trainer_base.py", "fit")
_COUNT = ("verl/trainer/ppo/v1/trainer_base.py", "_compute_metrics")

COUNTERS = (
    Counter(
        "verl",
        "",
        Unit.ROLLOUTS,
        1,
        ("step", "_step", "training/global_step"),
        "one run; a step is a rollout period, validation before training is step 0",
    ),
)
LOGGED: Mapping[str, Logged] = {
    "mean score of a sequence, before any KL penalty": Logged(
        "critic/score/mean", *_DATA, "over all sequences of the period; padding is left out"
    ),
    "largest score of a sequence, before any KL penalty": Logged("critic/score/max", *_DATA),
    "smallest score of a sequence, before any KL penalty": Logged("critic/score/min", *_DATA),
    **by_statistic(Logged, "reward of a sequence, KL penalty taken off", "critic/rewards", *_DATA),
    **by_statistic(Logged, "advantage of a token of an answer", "critic/advantages", *_DATA),
    **by_statistic(Logged, "return of a token of an answer", "critic/returns", *_DATA),
    **by_statistic(Logged, "critic's value of a token of an answer", "critic/values", *_DATA),
    "share of right answers in validation, a data set at a time": Logged(
        "val-core/{source}/acc/mean@{n}",
        *_VAL,
        "after the period's updates, greedy unless configured (H18, H55); needs acc from the scorer",
        "val-core",
        since="0.4.1",
    ),
    "mean reward in validation, a data set at a time": Logged(
        "val-core/{source}/reward/mean@{n}",
        *_VAL,
        "logged where the scorer gives no acc",
        "val-core",
        older=(Older("val/test_score/{source}", "0.3.0", "val/test_score/{data_source}"),),
        since="0.4.1",
    ),
    **by_statistic(Logged, "length of an answer", "response_length", *_DATA),
    **by_statistic(Logged, "length of a prompt", "prompt_length", *_DATA),
    "share of answers that reach the longest length": Logged(
        "response_length/clip_ratio",
        *_DATA,
        "of the width of the batch, which is the configured length where rows are padded to it",
    ),
    "policy-gradient loss": Logged("actor/pg_loss", *_LOSS),
    "loss that is differentiated: policy gradient, entropy, KL": Logged(
        "actor/loss",
        *_WORKER,
        "summed over micro-batches, averaged over ranks; the older workers do not log it",
        '"loss"',
        since="0.7.1",
    ),
    "KL loss between policy and reference, before its coefficient": Logged("actor/kl_loss", *_LOSS, text='"kl_loss"'),
    "coefficient of the KL loss": Logged("actor/kl_coef", *_LOSS, text='"kl_coef"'),
    "KL that is taken off the reward": Logged(
        "actor/reward_kl_penalty", *_KL, older=(Older("critic/kl", "0.3.0"),), since="0.4.1"
    ),
    "coefficient of the KL in the reward": Logged(
        "actor/reward_kl_penalty_coeff", *_KL, older=(Older("critic/kl_coeff", "0.3.0"),), since="0.4.1"
    ),
    "entropy of the policy before the updates": Logged(
        "actor/entropy", "verl/trainer/ppo/v1/trainer_base.py", "_compute_old_log_prob", since="0.4.1"
    ),
    "entropy during the updates": Logged(
        "actor/entropy_loss", *_LOSS, older=(Older("actor/entropy_loss", "0.3.0"),), since="0.7.1"
    ),
    "share of tokens whose ratio is clipped": Logged("actor/pg_clipfrac", *_CLIP),
    "share of tokens bounded by dual clip": Logged("actor/pg_clipfrac_lower", *_CLIP, since="0.4.1"),
    "KL between the policy of the rollout and of the update (k1)": Logged("actor/ppo_kl", *_CLIP, "old minus new"),
    "norm of the policy's gradient before clipping": Logged("actor/grad_norm", *_WORKER, text='"grad_norm"'),
    "learning rate of the policy": Logged("actor/lr", *_WORKER, "moves once a period, a staircase (H44)", '"lr"'),
    "norm of the critic's gradient before clipping": Logged("critic/grad_norm", *_WORKER, text='"grad_norm"'),
    "learning rate of the critic": Logged("critic/lr", *_WORKER, text='"lr"'),
    "loss of the critic": Logged("critic/vf_loss", *_VALUE),
    "share of values that are clipped": Logged("critic/vf_clipfrac", *_VALUE),
    "share of the GPUs' arithmetic that updates the policy": Logged(
        "perf/mfu/actor",
        "verl/trainer/ppo/v1/trainer_base.py",
        "_update_actor",
        older=(Older("mfu/actor", "0.2.0"),),
        since="0.3.0",
    ),
    "time to generate one period's answers": Logged(
        "timing_s/gen", *_TIME, "in the asynchronous modes only the wait for answers", '"gen"'
    ),
    "time to update the policy": Logged("timing_s/update_actor", *_TIME, text='"update_actor"'),
    "time to update the critic": Logged("timing_s/update_critic", *_TIME, text='"update_critic"'),
    "time for the policy's log-probs before the updates": Logged(
        "timing_s/old_log_prob", *_TIME, text='"old_log_prob"'
    ),
    "time for the reference's log-probs": Logged("timing_s/ref", *_TIME, text='"ref"'),
    "time for advantages": Logged("timing_s/adv", *_TIME, text='"adv"'),
    "time to bring new weights to the engines": Logged(
        "timing_s/update_weights",
        "verl/trainer/ppo/v1/trainer_sync.py",
        "on_step_end",
        text='"update_weights"',
        older=(Older("timing_s/reshard", "0.5.0", '"reshard"', since="0.4.1"),),
        since="0.7.1",
    ),
    "time of one whole step": Logged("timing_s/step", *_FIT, text='"step"'),
    "time to save a checkpoint": Logged("timing_s/save_checkpoint", *_FIT, text='"save_checkpoint"'),
    "time of one validation": Logged("timing_s/testing", *_FIT, text='"testing"'),
    "how many versions the oldest sample lags behind the policy": Logged(
        "training/off_policy/trajectory_staleness/max",
        *_COUNT,
        "by the newest version that a sample was drawn with",
        since="0.9.0",
    ),
    "tokens of a period by time and GPU": Logged(
        "perf/throughput",
        "verl/trainer/ppo/metric_utils.py",
        "compute_throughout_metrics",
        "prompts counted too",
        since="0.3.0",
    ),
}
"""A quantity, in the words of the table of metrics, and its name here."""
