"""Names under which OpenRLHF 0.11.2 logs what a run measures, and what earlier releases do otherwise.

wandb and TensorBoard have `train/` or `eval/` before a name (`log_train` and `log_eval` of
openrlhf/utils/logging_utils.py); the line that the trainer prints after a step has it bare.
"""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.mappers.logged import Counter, Logged, Older
from rftconf.plan.units import Unit

_STEP = ("openrlhf/trainer/ray/ppo_actor.py", "training_step")
_CRITIC = ("openrlhf/trainer/ray/ppo_critic.py", "training_step")
_ROLLOUT = ("openrlhf/trainer/ppo_trainer.py", "_compute_rollout_stats")
_EVAL = ("openrlhf/trainer/ppo_trainer.py", "compute_eval_metrics")
_TIME = ("openrlhf/trainer/ppo_trainer.py", "train_step")
_FIT = ("openrlhf/trainer/ppo_trainer.py", "fit")
_EXPERIENCE = "openrlhf/trainer/ppo_utils/experience_maker.py"
_MEAN = "averaged over micro-batches, each of which counts the same"
_PHASES = "0.9.7"
"""The first release that logs gradient norms and how long the phases of a step took."""


def _openrlhf(name: str, keys: tuple[str, str], differs: str = "", since: str = "") -> Logged:
    """Name a metric that the trackers have below `train/`."""
    return Logged(f"train/{name}", *keys, differs, f'"{name}"', older=(Older(name),), since=since)


def _of_rollout(name: str, before: str, differs: str, since: str = "") -> Logged:
    """Name a metric of all answers of a period; `before` is what the actor's updates log, and all that was until 0.9.7."""
    older = (Older(name), Older(f"train/{before}", "0.9.7", f'"{before}"', since), Older(before))
    return Logged(f"train/{name}", *_ROLLOUT, differs, f'"{name}"', older=older, since="0.9.8")


COUNTERS = (
    Counter(
        "openrlhf",
        "",
        Unit.ROLLOUTS,
        1,
        ("train/global_step", "eval/global_step", "step"),
        "one run; a step trains on rollout.batch_size prompts, and only every logging_steps-th is logged",
    ),
)
"""wandb's own `_step` counts calls of `wandb.log`, of which a step makes several: it is no step here."""
LOGGED: Mapping[str, Logged] = {
    "mean score of a sequence, before any KL penalty": _of_rollout(
        "rollout/reward_mean", "reward", "with penalties of the length; reward is that of the answers that the actor trained on"
    ),
    "mean reward of a sequence, KL penalty taken off": _openrlhf(
        "return", (_EXPERIENCE, "compute_advantages_and_returns"), "clipped, and the estimator's baseline taken off first"
    ),
    "mean critic's value of a token of an answer": _openrlhf("values", _CRITIC, f"during the updates, {_MEAN}"),
    "share of right answers in validation, a data set at a time": Logged(
        "eval/eval_{source}_pass1",
        *_EVAL,
        "after the updates of its step; the mean reward, which is a share of right answers where rewards are 0 or 1",
        '_pass1"]',
        older=(Older("eval_{source}_pass1"),),
    ),
    "mean length of an answer in validation, a data set at a time": Logged(
        "eval/eval_{source}_response_length_mean",
        *_EVAL,
        text='_response_length_mean"]',
        older=(Older("eval_{source}_response_length_mean"),),
        since=_PHASES,
    ),
    "mean length of an answer": _of_rollout(
        "rollout/response_length_mean", "response_length", "from the first to the last token that is trained on, with what stands between"
    ),
    "share of answers that reach the longest length": _of_rollout(
        "rollout/truncated_rate",
        "response_clip_ratio",
        "of answers that the engine cut; response_clip_ratio is that of texts as long as data.max_len",
        "0.8.5",
    ),
    "policy-gradient loss": _openrlhf("policy_loss", _STEP),
    "KL that is taken off the reward": _openrlhf(
        "kl", (_EXPERIENCE, "make_experience"), "a mean over tokens; the KL of the loss where algo.kl.use_loss is on"
    ),
    "entropy during the updates": _openrlhf("entropy_loss", _STEP, "logged where actor.entropy_coef is given"),
    "share of tokens whose ratio is clipped": _openrlhf("ppo_clip_ratio", _STEP, since="0.8.5"),
    "KL between the policy of the rollout and of the update (k1)": _openrlhf("ppo_kl", _STEP, "old minus new", "0.8.8"),
    "norm of the policy's gradient before clipping": _openrlhf("actor_grad_norm", _STEP, "the last of the step", _PHASES),
    "learning rate of the policy": _openrlhf("actor_lr", _STEP, "the last of the step, before 0.9.8 a mean over it"),
    "norm of the critic's gradient before clipping": _openrlhf("critic_grad_norm", _CRITIC, _MEAN, _PHASES),
    "learning rate of the critic": _openrlhf("critic_lr", _CRITIC, _MEAN),
    "loss of the critic": _openrlhf("critic_loss", _CRITIC, _MEAN),
    "time to generate one period's answers": _openrlhf(
        "timing/generation", _FIT, "with rewards that functions and agents give", _PHASES
    ),
    "time to update the policy": _openrlhf("timing/ppo_train", _TIME, "with the critic", _PHASES),
    "time for the policy's log-probs before the updates": _openrlhf(
        "timing/make_experience", _TIME, "with the reference's, values, a reward model's scores and advantages", _PHASES
    ),
    "time to bring new weights to the engines": _openrlhf("timing/broadcast", _TIME, since=_PHASES),
    "time of one whole step": _openrlhf(
        "timing/step_total", _FIT, "the sum of its four phases, in asynchronous runs what the clock says", _PHASES
    ),
}  # fmt: skip
"""A quantity, in the words of the table of metrics, and its name here."""
