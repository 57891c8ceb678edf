"""Names under which Trinity-RFT 0.6.0 logs what a run measures; its trainer runs veRL 0.8.0's workers, and logs to a run of its own."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.mappers.logged import Counter, Logged, Older, by_statistic
from rftconf.plan.units import Unit

_DATA = ("trinity/trainer/verl/utils.py", "compute_data_metrics")
_LOSS = ("trinity/algorithm/policy_loss_fn/ppo_policy_loss.py", "__call__")
_KL = ("trinity/algorithm/kl_fn/kl_fn.py", "calculate_kl_loss")
_REWARD_KL = ("trinity/algorithm/kl_fn/kl_fn.py", "apply_kl_penalty_to_reward")
_WORKER = ("verl/workers/engine_workers.py", "_postprocess_output")
_VALUE = ("verl/workers/utils/losses.py", "value_loss")
_STEP = ("trinity/trainer/verl/trainer.py", "train_step")

TRAINER, EXPLORER = "trainer", "explorer"
"""Trinity-RFT has two processes; each logs to a run of its own."""
_ONE_STEP = "of the sequences of one train step, where others take the whole rollout period"
_ONE_UPDATE = "of one train step; others average over the updates of a period"


def _trainer(
    name: str,
    file: str,
    function: str,
    differs: str = "",
    text: str = "",
    *,
    older: tuple[Older, ...] = (),
    since: str = "",
) -> Logged:
    return Logged(name, file, function, differs, text, TRAINER, older, since=since)


def _explorer(name: str, file: str, function: str, differs: str, text: str, *, older: tuple[Older, ...] = ()) -> Logged:
    """Name an evaluation: it is submitted before the sync, so with the weights of one period ago (H18)."""
    return Logged(name, file, function, differs, text, EXPLORER, older, behind=1)


COUNTERS = (
    Counter(
        "trinity",
        TRAINER,
        Unit.TRAIN_STEPS,
        1,
        ("step", "_step"),
        "the run named after trainer.name; a step is one read of train_batch_size sequences",
    ),
    Counter(
        "trinity",
        EXPLORER,
        Unit.EXPLORE_STEPS,
        1,
        ("step", "_step"),
        "the run named after explorer.name; a step is batch_size prompts",
    ),
)
LOGGED: Mapping[str, Logged] = {
    "mean score of a sequence, before any KL penalty": _trainer(
        "critic/score/mean", *_DATA, f"{_ONE_STEP}; groups that were filtered out are not in it"
    ),
    "largest score of a sequence, before any KL penalty": _trainer("critic/score/max", *_DATA, _ONE_STEP),
    "smallest score of a sequence, before any KL penalty": _trainer("critic/score/min", *_DATA, _ONE_STEP),
    "share of right answers in training": Logged(
        "rollout/accuracy/mean",
        "trinity/explorer/rollout_coordinator.py",
        "_build_batch_result",
        "needs accuracy from the workflow; before groups are filtered out",
        'prefix="rollout"',
        run=EXPLORER,
    ),
    **by_statistic(_trainer, "reward of a sequence, KL penalty taken off", "critic/rewards", *_DATA, _ONE_STEP),
    **by_statistic(_trainer, "advantage of a token of an answer", "critic/advantages", *_DATA, _ONE_STEP),
    **by_statistic(_trainer, "return of a token of an answer", "critic/returns", *_DATA, _ONE_STEP),
    "share of right answers in validation, a data set at a time": _explorer(
        "eval/{source}/accuracy",
        "trinity/explorer/rollout_coordinator.py",
        "_eval_metric_prefix",
        "with the weights of before the sync (H18), at temperature 1 unless configured (H55); needs accuracy from the workflow; "
        "with detailed_stats /mean, /max, /min and /std follow",
        "eval/",
        older=(Older("eval/{source}/accuracy/mean", "0.4.1", "gather_metrics"),),
    ),
    **by_statistic(_trainer, "length of an answer", "response_length", *_DATA, _ONE_STEP),
    **by_statistic(_trainer, "length of a prompt", "prompt_length", *_DATA, _ONE_STEP),
    "share of answers that reach the longest length": _trainer(
        "response_length/clip_ratio", *_DATA, "of the longest answer of the train step, so it is never 0"
    ),
    "policy-gradient loss": _trainer(
        "actor/pg_loss", *_LOSS, f"{_ONE_UPDATE}; mean over micro-batches of their own means (H25)", '"pg_loss"'
    ),
    "loss that is differentiated: policy gradient, entropy, KL": _trainer(
        "actor/final_loss",
        "trinity/trainer/verl/losses.py",
        "__call__",
        "of one micro-batch, unscaled, averaged; the one of the trainer's package is logged beside it",
        '"final_loss"',
    ),
    "KL loss between policy and reference, before its coefficient": _trainer(
        "actor/kl_loss", *_KL, f"{_ONE_UPDATE}; estimators of one name are clamped otherwise (H36)", '"kl_loss"'
    ),
    "coefficient of the KL loss": _trainer("actor/kl_coef", *_KL, text='"kl_coef"'),
    "KL that is taken off the reward": _trainer(
        "advantage/kl",
        *_REWARD_KL,
        _ONE_STEP,
        '"kl"',
        older=(Older("critic/kl", "0.5.2", 'prefix_metrics(kl_metrics, prefix="critic")'),),
        since="0.6.0",
    ),
    "coefficient of the KL in the reward": _trainer(
        "advantage/kl_coef",
        *_REWARD_KL,
        text='"kl_coef"',
        older=(Older("critic/kl_coef", "0.5.2", 'prefix_metrics(kl_metrics, prefix="critic")'),),
        since="0.6.0",
    ),
    "entropy of the policy before the updates": _trainer(
        "actor/entropy",
        "trinity/trainer/verl/trainer.py",
        "_compute_old_log_prob",
        "after the updates of earlier train steps of the period; absent where old log-probs come from the engine",
        since="0.4.1",
    ),
    "entropy during the updates": _trainer(
        "actor/entropy_loss",
        "trinity/algorithm/entropy_loss_fn/entropy_loss_fn.py",
        "__call__",
        _ONE_UPDATE,
        '"entropy_loss"',
    ),
    "share of tokens whose ratio is clipped": _trainer(
        "actor/pg_clipfrac",
        *_LOSS,
        "0 throughout where old log-probs are computed in each train step (H24)",
        '"pg_clipfrac"',
    ),
    "share of tokens bounded by dual clip": _trainer(
        "actor/pg_clipfrac_lower", *_LOSS, _ONE_UPDATE, '"pg_clipfrac_lower"'
    ),
    "KL between the policy of the rollout and of the update (k1)": _trainer(
        "actor/ppo_kl", *_LOSS, f"old minus new, {_ONE_UPDATE}", '"ppo_kl"'
    ),
    "norm of the policy's gradient before clipping": _trainer(
        "actor/grad_norm",
        *_WORKER,
        f"{_ONE_UPDATE}; the loss is scaled otherwise on the new back end (H25)",
        '"grad_norm"',
    ),
    "learning rate of the policy": _trainer("actor/lr", *_WORKER, "moves with every train step", '"lr"'),
    "norm of the critic's gradient before clipping": _trainer("critic/grad_norm", *_WORKER, _ONE_UPDATE, '"grad_norm"'),
    "learning rate of the critic": _trainer("critic/lr", *_WORKER, _ONE_UPDATE, '"lr"'),
    "loss of the critic": _trainer("critic/vf_loss", *_VALUE, _ONE_UPDATE),
    "share of values that are clipped": _trainer("critic/vf_clipfrac", *_VALUE, _ONE_UPDATE),
    "share of the GPUs' arithmetic that updates the policy": _trainer(
        "perf/mfu/actor", "trinity/trainer/verl/trainer.py", "_update_actor", _ONE_UPDATE
    ),
    "time to update the policy": _trainer("time/update_actor", *_STEP, _ONE_STEP, '"update_actor"'),
    "time to update the critic": _trainer("time/update_critic", *_STEP, _ONE_STEP, '"update_critic"'),
    "time for the policy's log-probs before the updates": _trainer(
        "time/old_log_prob", *_STEP, _ONE_STEP, '"old_log_prob"', since="0.4.1"
    ),
    "time for the reference's log-probs": _trainer("time/ref", *_STEP, _ONE_STEP, "Role.RefPolicy"),
    "time for advantages": _trainer(
        "time/adv", *_STEP, f"{_ONE_STEP}; group advantages are computed by the explorer", '"adv"'
    ),
    "time to bring new weights to the engines": _trainer(
        "time/sync_weight", "trinity/trainer/trainer.py", "sync_weight", "with the wait for the explorer"
    ),
    "time of one whole step": _trainer(
        "time/step", *_STEP, "of one train step; generation runs beside it and is not in it", '"step"'
    ),
    "time to save a checkpoint": _trainer("time/save_checkpoint", "trinity/trainer/trainer.py", "save_checkpoint"),
    "time of one validation": _explorer(
        "time/eval", "trinity/explorer/explorer.py", "_finish_eval_step", "training goes on meanwhile", "time/{prefix}"
    ),
}
"""A quantity, in the words of the table of metrics, and its name here."""
