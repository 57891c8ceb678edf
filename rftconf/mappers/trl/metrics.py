"""Names under which GRPOTrainer, and the Trainer of transformers below it, log what a run measures.

Trackers put `train/` or `eval/` before a name (`rewrite_logs`); console and `trainer_state.json` have it bare, and
`eval_` before it. What is logged is averaged over the updates since the last logged step (`logging_steps`).
"""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.mappers.logged import Counter, Logged, Older
from rftconf.plan.units import Unit

_TRAINER = "trl/trainer/grpo_trainer.py"
_SCORED = (_TRAINER, "_generate_and_score_completions")
_GENERATED = (_TRAINER, "_generate")
_LOSS = (_TRAINER, "_compute_loss")
_LOGGED = ("transformers/trainer.py", "_maybe_log_save_evaluate")
_MICRO = "over micro-batches, each of which counts the same"


def _trl(name: str, keys: tuple[str, str], differs: str = "", since: str = "") -> Logged:
    """Name a metric of the trainer; where no tracker is, it is written bare."""
    return Logged(f"train/{name}", *keys, differs, f'"{name}"', older=(Older(name),), since=since)


def _below(name: str, differs: str = "") -> Logged:
    """Name a metric of the Trainer that GRPOTrainer stands on."""
    older = (Older(name),)
    return Logged(f"train/{name}", *_LOGGED, differs, f'"{name}"', older=older, package_release="5.20.2")


def _lengths(short: str) -> Logged:
    return _trl(f"completions/{short}_length", _GENERATED, "of a generation batch, over all processes")


COUNTERS = (
    Counter(
        "trl",
        "",
        Unit.UPDATES,
        1,
        ("train/global_step", "step"),
        "one run; a step is an optimizer update, and logging_steps of them share a line",
    ),
)
"""wandb's own `_step` counts calls of `wandb.log` (`WandbCallback.on_log` names no step): it is no step here."""
LOGGED: Mapping[str, Logged] = {
    "mean score of a sequence, before any KL penalty": _trl(
        "reward", _SCORED, "the weighted sum of all reward functions, of the last generation batches"
    ),
    "mean length of an answer": _lengths("mean"),
    "largest length of an answer": _lengths("max"),
    "smallest length of an answer": _lengths("min"),
    "share of answers that reach the longest length": _trl(
        "completions/clipped_ratio", _GENERATED, "of answers without an end token"
    ),
    "policy-gradient loss": _trl("policy_loss", _LOSS, "logged where the loss has an entropy term", "1.8.0"),
    "loss that is differentiated: policy gradient, entropy, KL": _below("loss", "averaged over the updates since the last logged step"),
    "KL loss between policy and reference, before its coefficient": _trl(
        "kl", _LOSS, f"k3, mean over tokens, {_MICRO}; absent where beta is 0"
    ),
    "entropy during the updates": _trl("entropy", _LOSS, f"mean over tokens, {_MICRO}", "0.20.0"),
    "share of tokens whose ratio is clipped": _trl("clip_ratio/region_mean", _LOSS, "on either side; absent where the loss clips none"),
    "norm of the policy's gradient before clipping": _below("grad_norm", "of the last update that is logged"),
    "learning rate of the policy": _below("learning_rate", "of the last update that is logged"),
    "time of one whole step": _trl(
        "step_time", (_TRAINER, "training_step"), "of one update; generation is in the first update of its period", "0.26.2"
    ),
    "mean reward in validation, a data set at a time": Logged(
        "eval/reward", *_SCORED, "one data set, after the updates of its step, sampled as training does", '"reward"',
        older=(Older("eval_reward"),),
    ),
    "mean length of an answer in validation, a data set at a time": Logged(
        "eval/completions/mean_length", *_GENERATED, "", '"completions/mean_length"', older=(Older("eval_completions/mean_length"),)
    ),
}  # fmt: skip
"""A quantity, in the words of the table of metrics, and its name here."""
