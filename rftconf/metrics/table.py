"""Which logged metric of one framework is which of another, with the code that logs it. Nothing else lists these names.

Read in the newest catalogued releases: veRL 0.9.1, Trinity-RFT 0.6.0 (whose trainer runs veRL 0.8.0's workers), ROLL
0.3.0, ChatLearn 2025.10.23, and in our runner; what a framework's own folder names was read in its
newest release. `since` and `older` say what earlier releases do otherwise. A test finds
every name in the code of those releases.
"""

from __future__ import annotations

from dataclasses import replace

from rftconf.mappers.logged import Counter, Logged, Older
from rftconf.mappers.profiles import families, metrics_of
from rftconf.metrics.quantity import EXPLORER, RUNNER, TRAINER, Quantity
from rftconf.plan.units import Unit

_OWN = {family: names for family in families() if (names := metrics_of(family)) is not None}
"""Frameworks that have their names in a folder of their own."""
COUNTERS: tuple[Counter, ...] = (
    Counter("verl", "", Unit.ROLLOUTS, 1, ("step", "_step", "training/global_step"),
            "one run; a step is a rollout period, validation before training is step 0"),
    Counter("trinity", TRAINER, Unit.TRAIN_STEPS, 1, ("step", "_step"),
            "the run named after trainer.name; a step is one read of train_batch_size sequences"),
    Counter("trinity", EXPLORER, Unit.EXPLORE_STEPS, 1, ("step", "_step"),
            "the run named after explorer.name; a step is batch_size prompts"),
    Counter("roll", "", Unit.ROLLOUTS, 0, ("step", "_step", "system/global_step", "system/step"),
            "one run; a step is a rollout period, counted from 0"),
    Counter("chatlearn", "", Unit.ROLLOUTS, 1, ("step", "_step"),
            "one run; a step is an episode, logged from 1"),
    *(names.COUNTER for names in _OWN.values()),
    Counter(RUNNER, "", Unit.ROLLOUTS, 1, ("period",),
            "metrics.jsonl; a period is a rollout period"),
)  # fmt: skip

_V_DATA = ("verl/trainer/ppo/metric_utils.py", "compute_data_metrics")
_V_TIME = ("verl/trainer/ppo/v1/trainer_base.py", "_step_once")
_V_FIT = ("verl/trainer/ppo/v1/trainer_base.py", "fit")
_V_COUNT = ("verl/trainer/ppo/v1/trainer_base.py", "_compute_metrics")
_V_LOSS = ("verl/workers/utils/losses.py", "ppo_loss")
_V_VALUE = ("verl/workers/utils/losses.py", "value_loss")
_V_CLIP = ("verl/trainer/ppo/core_algos.py", "compute_policy_loss_vanilla")
_V_WORKER = ("verl/workers/engine_workers.py", "_postprocess_output")
_V_KL = ("verl/trainer/ppo/ray_trainer.py", "apply_kl_penalty")
_V_VAL = ("verl/trainer/ppo/v1/trainer_base.py", "_val_metrics_update")
_T_DATA = ("trinity/trainer/verl/utils.py", "compute_data_metrics")
_T_STEP = ("trinity/trainer/verl/trainer.py", "train_step")
_T_LOSS = ("trinity/algorithm/policy_loss_fn/ppo_policy_loss.py", "__call__")
_T_KL = ("trinity/algorithm/kl_fn/kl_fn.py", "calculate_kl_loss")
_T_REWARD_KL = ("trinity/algorithm/kl_fn/kl_fn.py", "apply_kl_penalty_to_reward")
_R_VALUES = ("roll/utils/metrics/metrics_manager.py", "add_values_metrics")
_R_TOKENS = ("roll/utils/metrics/metrics_manager.py", "add_token_metrics")
_R_LOSS = ("roll/pipeline/rlvr/actor_worker.py", "loss_func")
_R_RUN = ("roll/pipeline/rlvr/rlvr_pipeline.py", "run")
_R_WORKER = ("roll/pipeline/base_worker.py", "train_step")
_R_CRITIC = ("roll/pipeline/base_worker.py", "loss_func")
_R_REWARD_KL = ("roll/utils/functionals.py", "compute_token_reward")
_R_GRAD = ("roll/distributed/strategy/fsdp2_strategy.py", "train_step")
_C_TRAIN = ("chatlearn/algorithm/grpo_utils/policy_trainer.py", "train_step")
_C_ROLLOUT = ("chatlearn/models/sglang_module.py", "metric_collect")
_C_TIME = ("chatlearn/runtime/engine.py", "logging_summary")
_OURS = ("runners/rftconf_runner/record.py", "note")

_ONE_STEP = "of the sequences of one train step, where others take the whole rollout period"
_LAST = "of the last update of the period; others average over the period's updates"
_ONE_UPDATE = "of one train step; others average over the updates of a period"


def _verl(name: str, keys: tuple[str, str], differs: str = "", text: str = "") -> Logged:
    return Logged(name, *keys, differs, text)


def _trainer(name: str, keys: tuple[str, str], differs: str = "", text: str = "", package: str = "") -> Logged:
    return Logged(name, *keys, differs, text, TRAINER, package=package)


def _since(release: str, logged: Logged, *older: Older) -> Logged:
    """Earlier releases do not log it, or call it otherwise."""
    return replace(logged, since=release, older=(*logged.older, *older))


def _explorer(name: str, keys: tuple[str, str], differs: str = "", text: str = "", *older: Older) -> Logged:
    """An evaluation: submitted before the sync, so with the weights of one period ago (H18)."""
    return Logged(name, *keys, differs, text, EXPLORER, older, behind=1)


def _roll(name: str, keys: tuple[str, str], differs: str = "", text: str = "", *older: Older) -> Logged:
    return Logged(name, *keys, differs, text, older=older)


def _of_critic(name: str) -> Older:
    """Trinity's KL in the reward stood below critic/ until 0.5.2."""
    return Older(f"critic/{name}", "0.5.2", 'prefix_metrics(kl_metrics, prefix="critic")')


def _sum(name: str, differs: str = "") -> Logged:
    """A ROLL name that tells how it is added up; 0.1 and some workers of later releases leave that out."""
    return Logged(f"{name}@sum", *_R_LOSS, differs, older=(Older(name, "0.1.3"),))


def _chatlearn(name: str, keys: tuple[str, str], differs: str = "") -> Logged:
    return Logged(name, *keys, differs, name.rpartition("/")[2])


def _ours(name: str, differs: str = "") -> Logged:
    return Logged(name, *_OURS, differs, "CLOCKS.values()" if name.endswith("_seconds") else f"{name}=")


def _updated(name: str) -> Logged:
    """What our runner says of a period's last update."""
    return Logged(name, "runners/rftconf_runner/metrics.py", "of_updates", _LAST, f'"{name}"')


def _spread(says: str, unit: str, name: str, trinity: bool = True) -> tuple[Quantity, ...]:
    """Mean, largest and smallest of what veRL, Trinity and ROLL log below critic/."""
    return tuple(
        Quantity(f"{word} {says}", unit, {
            "verl": _verl(f"critic/{name}/{short}", _V_DATA),
            **({"trinity": _trainer(f"critic/{name}/{short}", _T_DATA, _ONE_STEP)} if trinity else {}),
            "roll": _roll(f"critic/{name}/{short}", _R_VALUES, text=f"{{prefix}}/{name}/{short}"),
        })
        for short, word in (("mean", "mean"), ("max", "largest"), ("min", "smallest"))
    )  # fmt: skip


def _lengths(what: str, unit: str, name: str) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(f"{word} {what}", unit, {
            "verl": _verl(f"{name}/{short}", _V_DATA),
            "trinity": _trainer(f"{name}/{short}", _T_DATA, _ONE_STEP),
            "roll": _roll(f"token/{name}/{short}", _R_TOKENS, text=f"{{prefix}}/{name}/{short}"),
            **chatlearn,
        })
        for short, word, chatlearn in (
            ("mean", "mean", {"chatlearn": _chatlearn(f"rollout/{name.replace('_', '_token_')}", _C_ROLLOUT)}),
            ("max", "largest", {"chatlearn": _since("2025.10.23", _chatlearn("rollout/response_max", _C_ROLLOUT))} if name == "response_length" else {}),
            ("min", "smallest", {}),
        )
    )  # fmt: skip


_REWARDS: tuple[Quantity, ...] = (
    Quantity("mean score of a sequence, before any KL penalty", "score", {
        "verl": _verl("critic/score/mean", _V_DATA, "over all sequences of the period; padding is left out"),
        "trinity": _trainer("critic/score/mean", _T_DATA, f"{_ONE_STEP}; groups that were filtered out are not in it"),
        "roll": _roll("critic/score/mean", _R_VALUES, "over all domains together; {domain}/… has each", "{prefix}/score/mean"),
        "chatlearn": _chatlearn("rule_reward/train_reward_score", ("chatlearn/models/reward/rule_reward.py", "forward_step"),
                                "averaged over batches of the reward model, each of which counts the same"),
        RUNNER: _ours("reward"),
    }),
    *(Quantity(f"{word} score of a sequence, before any KL penalty", "score", {
        "verl": _verl(f"critic/score/{short}", _V_DATA),
        "trinity": _trainer(f"critic/score/{short}", _T_DATA, _ONE_STEP),
        "roll": _roll(f"critic/score/{short}", _R_VALUES, text=f"{{prefix}}/score/{short}"),
    }) for short, word in (("max", "largest"), ("min", "smallest"))),
    Quantity("share of right answers in training", "share", {
        "trinity": Logged("rollout/accuracy/mean", "trinity/explorer/rollout_coordinator.py", "_build_batch_result",
                          "needs accuracy from the workflow; before groups are filtered out", 'prefix="rollout"', EXPLORER),
        "roll": _roll("critic/correct/mean", _R_VALUES, "answers whose score is exactly 1", "{prefix}/correct/mean"),
    }),
    *_spread("reward of a sequence, KL penalty taken off (in ROLL also normalised)", "reward", "rewards"),
    *_spread("advantage of a token of an answer", "advantage", "advantages"),
    *_spread("return of a token of an answer", "return", "returns"),
    *_spread("critic's value of a token of an answer", "value", "values", trinity=False),
)  # fmt: skip

_LENGTHS: tuple[Quantity, ...] = (
    *_lengths("length of an answer", "tokens", "response_length"),
    *_lengths("length of a prompt", "tokens", "prompt_length"),
    Quantity("share of answers that reach the longest length", "share", {
        "verl": _verl("response_length/clip_ratio", _V_DATA, "of the width of the batch, which is the configured length where rows are padded to it"),
        "trinity": _trainer("response_length/clip_ratio", _T_DATA, "of the longest answer of the train step, so it is never 0"),
        "chatlearn": _chatlearn("rollout/response_clip_ratio", _C_ROLLOUT, "of the configured length"),
    }),
)  # fmt: skip

_LOSSES: tuple[Quantity, ...] = (
    Quantity("policy-gradient loss", "loss", {
        "verl": _verl("actor/pg_loss", _V_LOSS),
        "trinity": _trainer("actor/pg_loss", _T_LOSS, f"{_ONE_UPDATE}; mean over micro-batches of their own means (H25)", '"pg_loss"'),
        "roll": _sum("actor/pg_loss", "summed over micro-batches that are divided by global counts"),
        "chatlearn": _chatlearn("policy_trainer/pg_loss", _C_TRAIN),
    }),
    Quantity("loss that is differentiated: policy gradient, entropy, KL", "loss", {
        "verl": _since("0.7.1", _verl("actor/loss", _V_WORKER,
                       "summed over micro-batches, averaged over ranks; the older workers do not log it", '"loss"')),
        "trinity": _trainer("actor/final_loss", ("trinity/trainer/verl/losses.py", "__call__"),
                            "of one micro-batch, unscaled, averaged; veRL's own loss is logged beside it", '"final_loss"'),
        "roll": _sum("actor/total_loss"),
        RUNNER: _updated("loss"),
    }),
    Quantity("KL loss between policy and reference, before its coefficient", "KL", {
        "verl": _verl("actor/kl_loss", _V_LOSS, text='"kl_loss"'),
        "trinity": _trainer("actor/kl_loss", _T_KL, f"{_ONE_UPDATE}; estimators of one name are clamped otherwise (H36)", '"kl_loss"'),
        "roll": _sum("actor/kl_loss"),
        "chatlearn": _chatlearn("policy_trainer/kl_loss", _C_TRAIN, "always k3 clamped at 10, mean over tokens"),
    }),
    Quantity("coefficient of the KL loss", "coefficient", {
        "verl": _verl("actor/kl_coef", _V_LOSS, text='"kl_coef"'),
        "trinity": _trainer("actor/kl_coef", _T_KL, text='"kl_coef"'),
    }),
    Quantity("KL that is taken off the reward", "KL", {
        "verl": _since("0.4.1", _verl("actor/reward_kl_penalty", _V_KL), Older("critic/kl", "0.3.0")),
        "trinity": _since("0.6.0", _trainer("advantage/kl", _T_REWARD_KL, _ONE_STEP, '"kl"'), _of_critic("kl")),
        "roll": _roll("{domain}/critic/kl", _R_REWARD_KL, "a domain at a time; without its name in the agentic pipeline", '"critic/kl"', Older("critic/kl")),
        RUNNER: Logged("kl", "runners/rftconf_runner/advantage_estimation.py", "more", "where reward or loss has a KL", '"kl"'),
    }),
    Quantity("coefficient of the KL in the reward", "coefficient", {
        "verl": _since("0.4.1", _verl("actor/reward_kl_penalty_coeff", _V_KL), Older("critic/kl_coeff", "0.3.0")),
        "trinity": _since("0.6.0", _trainer("advantage/kl_coef", _T_REWARD_KL, text='"kl_coef"'), _of_critic("kl_coef")),
        "roll": _roll("{domain}/critic/kl_coef", _R_REWARD_KL, "", '"critic/kl_coef"', Older("critic/kl_coef")),
    }),
    Quantity("entropy of the policy before the updates", "nats", {
        "verl": _since("0.4.1", _verl("actor/entropy", ("verl/trainer/ppo/v1/trainer_base.py", "_compute_old_log_prob"))),
        "trinity": _since("0.4.1", _trainer("actor/entropy", ("trinity/trainer/verl/trainer.py", "_compute_old_log_prob"),
                          "after the updates of earlier train steps of the period; absent where old log-probs come from the engine")),
        "roll": _roll("critic/entropy/mean", _R_VALUES, "0 where old log-probs are not computed again", "{prefix}/entropy/mean"),
    }),
    Quantity("entropy during the updates", "nats", {
        "verl": _since("0.7.1", _verl("actor/entropy_loss", _V_LOSS), Older("actor/entropy_loss", "0.3.0")),
        "trinity": _trainer("actor/entropy_loss", ("trinity/algorithm/entropy_loss_fn/entropy_loss_fn.py", "__call__"), _ONE_UPDATE, '"entropy_loss"'),
        "chatlearn": _chatlearn("policy_trainer/entropy_loss", _C_TRAIN, "mean over tokens"),
    }),
    Quantity("share of tokens whose ratio is clipped", "share", {
        "verl": _verl("actor/pg_clipfrac", _V_CLIP),
        "trinity": _trainer("actor/pg_clipfrac", _T_LOSS, "0 throughout where old log-probs are computed in each train step (H24)", '"pg_clipfrac"'),
        "roll": _sum("actor/clipfrac", "aggregated as the loss is, not as a mean over tokens"),
    }),
    Quantity("share of tokens bounded by dual clip", "share", {
        "verl": _since("0.4.1", _verl("actor/pg_clipfrac_lower", _V_CLIP)),
        "trinity": _trainer("actor/pg_clipfrac_lower", _T_LOSS, _ONE_UPDATE, '"pg_clipfrac_lower"'),
    }),
    Quantity("KL between the policy of the rollout and of the update (k1)", "KL", {
        "verl": _verl("actor/ppo_kl", _V_CLIP, "old minus new"),
        "trinity": _trainer("actor/ppo_kl", _T_LOSS, f"old minus new, {_ONE_UPDATE}", '"ppo_kl"'),
    }),
)  # fmt: skip

_OPTIMISER: tuple[Quantity, ...] = (
    Quantity("norm of the policy's gradient before clipping", "norm", {
        "verl": _verl("actor/grad_norm", _V_WORKER, text='"grad_norm"'),
        "trinity": _trainer("actor/grad_norm", _V_WORKER, f"{_ONE_UPDATE}; the loss is scaled otherwise on the new back end (H25)", '"grad_norm"', "verl"),
        "roll": _roll("actor_train/grad_norm", _R_GRAD, text="/grad_norm"),
        "chatlearn": _chatlearn("policy_trainer/grad_norm", _C_TRAIN),
        RUNNER: _updated("gradient_norm"),
    }),
    Quantity("learning rate of the policy", "per update", {
        "verl": _verl("actor/lr", _V_WORKER, "moves once a period, a staircase (H44)", '"lr"'),
        "trinity": _trainer("actor/lr", _V_WORKER, "moves with every train step", '"lr"', "verl"),
        "roll": _roll("actor/lr", _R_WORKER, "the last of the period"),
        RUNNER: _updated("learning_rate"),
    }),
    Quantity("norm of the critic's gradient before clipping", "norm", {
        "verl": _verl("critic/grad_norm", _V_WORKER, text='"grad_norm"'),
        "trinity": _trainer("critic/grad_norm", _V_WORKER, _ONE_UPDATE, '"grad_norm"', "verl"),
        "roll": _roll("critic/grad_norm", _R_GRAD, text="/grad_norm"),
        RUNNER: _updated("critic_gradient_norm"),
    }),
    Quantity("learning rate of the critic", "per update", {
        "verl": _verl("critic/lr", _V_WORKER, text='"lr"'),
        "trinity": _trainer("critic/lr", _V_WORKER, _ONE_UPDATE, '"lr"', "verl"),
        "roll": _roll("critic/lr", _R_WORKER),
    }),
    Quantity("loss of the critic", "loss", {
        "verl": _verl("critic/vf_loss", _V_VALUE),
        "trinity": _trainer("critic/vf_loss", _V_VALUE, _ONE_UPDATE, package="verl"),
        "roll": _roll("critic/loss", _R_CRITIC),
        RUNNER: _updated("critic_loss"),
    }),
    Quantity("share of values that are clipped", "share", {
        "verl": _verl("critic/vf_clipfrac", _V_VALUE),
        "trinity": _trainer("critic/vf_clipfrac", _V_VALUE, _ONE_UPDATE, package="verl"),
        "roll": _roll("critic/clipfrac", _R_CRITIC),
    }),
    Quantity("share of the GPUs' arithmetic that updates the policy", "share", {
        "verl": _since("0.3.0", _verl("perf/mfu/actor", ("verl/trainer/ppo/v1/trainer_base.py", "_update_actor")), Older("mfu/actor", "0.2.0")),
        "trinity": _trainer("perf/mfu/actor", ("trinity/trainer/verl/trainer.py", "_update_actor"), _ONE_UPDATE),
    }),
)  # fmt: skip

_TIMES: tuple[Quantity, ...] = (
    Quantity("time to generate one period's answers", "seconds", {
        "verl": _verl("timing_s/gen", _V_TIME, "in the asynchronous modes only the wait for answers", '"gen"'),
        "roll": _roll("time/step_generate", _R_RUN, "with rewards, which are computed as answers arrive"),
        "chatlearn": _chatlearn("engine/timer_summary/environment", _C_TIME, "with rewards, old and reference log-probs"),
        RUNNER: _ours("rollout_seconds", "with rewards"),
    }),
    Quantity("time to update the policy", "seconds", {
        "verl": _verl("timing_s/update_actor", _V_TIME, text='"update_actor"'),
        "trinity": _trainer("time/update_actor", _T_STEP, _ONE_STEP, '"update_actor"'),
        "roll": _roll("time/step_train", _R_RUN, "with the critic"),
        "chatlearn": _chatlearn("engine/timer_summary/train", _C_TIME),
        RUNNER: _ours("update_seconds", "with log-probs, values, advantages and the critic's updates"),
    }),
    Quantity("time to update the critic", "seconds", {
        "verl": _verl("timing_s/update_critic", _V_TIME, text='"update_critic"'),
        "trinity": _trainer("time/update_critic", _T_STEP, _ONE_STEP, '"update_critic"'),
    }),
    Quantity("time for the policy's log-probs before the updates", "seconds", {
        "verl": _verl("timing_s/old_log_prob", _V_TIME, text='"old_log_prob"'),
        "trinity": _since("0.4.1", _trainer("time/old_log_prob", _T_STEP, _ONE_STEP, '"old_log_prob"')),
        "roll": _roll("time/old_log_probs", _R_RUN),
    }),
    Quantity("time for the reference's log-probs", "seconds", {
        "verl": _verl("timing_s/ref", _V_TIME, text='"ref"'),
        "trinity": _trainer("time/ref", _T_STEP, _ONE_STEP, "Role.RefPolicy"),
        "roll": _roll("time/ref_log_probs_values", _R_RUN, "with the critic's values"),
    }),
    Quantity("time for advantages", "seconds", {
        "verl": _verl("timing_s/adv", _V_TIME, text='"adv"'),
        "trinity": _trainer("time/adv", _T_STEP, f"{_ONE_STEP}; group advantages are computed by the explorer", '"adv"'),
    }),
    Quantity("time to bring new weights to the engines", "seconds", {
        "verl": _since("0.7.1", _verl("timing_s/update_weights", ("verl/trainer/ppo/v1/trainer_sync.py", "on_step_end"), text='"update_weights"'),
                       Older("timing_s/reshard", "0.5.0", '"reshard"', since="0.4.1")),
        "trinity": _trainer("time/sync_weight", ("trinity/trainer/trainer.py", "sync_weight"), "with the wait for the explorer"),
        "roll": _roll("time/step_model_update", _R_RUN),
        "chatlearn": _chatlearn("engine/timer_summary/sync_parameters", _C_TIME),
        RUNNER: _ours("sync_seconds", "without saving; with what was left to generate ahead"),
    }),
    Quantity("time of one whole step", "seconds", {
        "verl": _verl("timing_s/step", _V_FIT, text='"step"'),
        "trinity": _trainer("time/step", _T_STEP, "of one train step; generation runs beside it and is not in it", '"step"'),
        "roll": _since("0.1.3", _roll("time/step_total", _R_RUN, "of the step before")),
        "chatlearn": _chatlearn("engine/timer_summary/episode", _C_TIME),
    }),
    Quantity("time to save a checkpoint", "seconds", {
        "verl": _verl("timing_s/save_checkpoint", _V_FIT, text='"save_checkpoint"'),
        "trinity": _trainer("time/save_checkpoint", ("trinity/trainer/trainer.py", "save_checkpoint")),
        "chatlearn": _chatlearn("engine/timer_summary/save_checkpoint", _C_TIME),
    }),
    Quantity("time of one validation", "seconds", {
        "verl": _verl("timing_s/testing", _V_FIT, text='"testing"'),
        "trinity": _explorer("time/eval", ("trinity/explorer/explorer.py", "_finish_eval_step"), "training goes on meanwhile", "time/{prefix}"),
        "roll": replace(_roll("time/val_step", _R_RUN), behind=1),
        "chatlearn": _chatlearn("engine/timer_summary/evaluate", _C_TIME),
    }),
)  # fmt: skip

_VALIDATION: tuple[Quantity, ...] = (
    Quantity("share of right answers in validation, a data set at a time", "share", {
        "verl": _since("0.4.1", _verl("val-core/{source}/acc/mean@{n}", _V_VAL,
                       "after the period's updates, greedy unless configured (H18, H55); needs acc from the scorer", "val-core")),
        "trinity": _explorer("eval/{source}/accuracy", ("trinity/explorer/rollout_coordinator.py", "_eval_metric_prefix"),
                             "with the weights of before the sync (H18), at temperature 1 unless configured (H55); needs accuracy from the "
                             "workflow; with detailed_stats /mean, /max, /min and /std follow", "eval/",
                             Older("eval/{source}/accuracy/mean", "0.4.1", "gather_metrics")),
        "roll": replace(_roll("val_correct/{source}/mean", ("roll/pipeline/rlvr/rlvr_pipeline.py", "val"),
                              "before the updates of its step; answers whose score is exactly 1; {source} is the tag", "val_correct"), behind=1),
        "chatlearn": Logged("eval/eval_{source}", "chatlearn/algorithm/grpo.py", "post_process", "mean rule reward, which need not be 0 or 1", '"eval_" + key'),
    }),
    Quantity("mean reward in validation, a data set at a time", "reward", {
        "verl": _since("0.4.1", _verl("val-core/{source}/reward/mean@{n}", _V_VAL, "logged where the scorer gives no acc", "val-core"),
                       Older("val/test_score/{source}", "0.3.0", "val/test_score/{data_source}")),
    }),
    Quantity("mean length of an answer in validation, a data set at a time", "tokens", {
        "chatlearn": _since("2025.10.23", Logged("eval/eval_{source}_response_length", "chatlearn/algorithm/grpo.py", "post_process", "",
                            '"_response_length"')),
    }),
)  # fmt: skip

_STALENESS: tuple[Quantity, ...] = (
    Quantity("how many versions the oldest sample lags behind the policy", "versions", {
        "verl": _since("0.9.0", _verl("training/off_policy/trajectory_staleness/max", _V_COUNT,
                       "by the newest version that a sample was drawn with")),
        RUNNER: _ours("lag"),
    }),
    Quantity("tokens of a period by time and GPU", "tokens per second and GPU", {
        "verl": _since("0.3.0", _verl("perf/throughput", ("verl/trainer/ppo/metric_utils.py", "compute_throughout_metrics"), "prompts counted too")),
        "roll": _roll("system/tps_gpu", ("roll/utils/metrics/metrics_manager.py", "add_system_metrics"), "prompts counted too, averaged over the last steps"),
    }),
)  # fmt: skip


def _with_own(quantity: Quantity) -> Quantity:
    own = {family: names.LOGGED[quantity.says] for family, names in _OWN.items() if quantity.says in names.LOGGED}
    return replace(quantity, logged={**quantity.logged, **own})


QUANTITIES: tuple[Quantity, ...] = tuple(
    map(_with_own, (*_REWARDS, *_VALIDATION, *_LENGTHS, *_LOSSES, *_OPTIMISER, *_TIMES, *_STALENESS))
)
"""In the order in which they are listed."""
