"""Advantage and policy loss."""

from __future__ import annotations

from rftconf.lint.measures import GROUPED
from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, finding, trinity, verl
from rftconf.lint.subject import Subject

FAMILY = Family("ALG")
rule = FAMILY.rule
ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
LOSS = "algorithm.policy_loss."
GAE = ("algorithm.adv_estimator=gae", "critic.model.path=Qwen/Qwen2.5-7B-Instruct")
AGGREGATIONS = ("token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm")


@rule(
    1, WARNING, "clip_ratio alone",
    bad=verl(f"{ACTOR}clip_ratio=0.1"), good=verl(f"{ACTOR}clip_ratio_low=0.1", f"{ACTOR}clip_ratio_high=0.1"),
    advice="set clip_ratio_low and clip_ratio_high", source="H30; veRL actor.yaml 36-42, core_algos.py 1160-1240", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _clip_placebo(s: Subject) -> Findings:
    """clip_ratio_low and clip_ratio_high have defaults of their own (0.2) and win, so clip_ratio changes nothing."""
    key, low, high = (ACTOR + name for name in ("clip_ratio", "clip_ratio_low", "clip_ratio_high"))
    got = s.number(key)
    if got is None or not s.written(key):
        return
    both_written = s.written(low) and s.written(high)
    if not both_written and (s.native.value(low), s.native.value(high)) != (got, got):
        yield finding(f"{s.says(key)} has no effect: {s.says(low)} and {s.says(high)} clip", key,
                    fix=(Put(low, got), Put(high, got)))  # fmt: skip


@rule(
    2, WARNING, "a clip range that does not clip",
    bad=verl(f"{ACTOR}clip_ratio_low=1.5", f"{ACTOR}clip_ratio_high=0.2"), good=verl(f"{ACTOR}clip_ratio_low=0.2", f"{ACTOR}clip_ratio_high=0.28"),
    advice="0.1 to 0.3 is usual", source="veRL core_algos.py 1226", fixable=True,
)  # fmt: skip
def _wide_clip(s: Subject) -> Findings:
    """The ratio is kept between 1-low and 1+high. A low of 1 or more lets it fall to zero; zero or less clips everything."""
    if s.value(f"{LOSS}family") not in ("ppo", None):
        return
    for name, most in (("clip_low", 1.0), ("clip_high", 10.0)):
        got = s.number(LOSS + name)
        if got is not None and s.written(LOSS + name) and not 0 < got < most:
            yield finding(f"{s.says(LOSS + name)} does not bound the ratio", LOSS + name, fix=Put(LOSS + name, 0.2))


@rule(
    3, ERROR, "a dual clip of one or less",
    bad=verl(f"{ACTOR}clip_ratio_c=1.0"), good=verl(f"{ACTOR}clip_ratio_c=3.0"),
    advice="the usual value is 3", source="veRL core_algos.py registries; Trinity config_validator.py", fixable=True,
)  # fmt: skip
def _dual_clip(s: Subject) -> Findings:
    """The bound on the loss of bad answers must lie above 1; the loss function asserts it at the first update."""
    name = f"{LOSS}dual_clip_c"
    got = s.number(name)
    if got is not None and got <= 1:
        yield finding(
            f"{s.says(name)}: the loss function asserts that it is above 1", name, fix=Put(name, 3.0), safe=True
        )


@rule(
    4, ERROR, "an aggregation that does not exist",
    bad=verl(f"{ACTOR}loss_agg_mode=token_mean"), good=verl(f"{ACTOR}loss_agg_mode=token-mean"),
    advice=f"one of {', '.join(AGGREGATIONS)}", source="veRL workers/config/actor.py; Trinity config_validator.py", fixable=True,
)  # fmt: skip
def _aggregation(s: Subject) -> Findings:
    """An aggregation makes one number of token losses. veRL refuses an unknown one when it starts, Trinity-RFT at the
    first update.
    """
    name = "algorithm.loss_agg"
    got = s.value(name)
    if (
        not isinstance(got, str)
        or got in AGGREGATIONS
        or got.endswith("sum-over-len")
        or (got == "token-sum" and s.since("0.9.0"))
        or not s.written(name)
    ):
        return
    near = got.replace("_", "-")
    yield finding(f"{s.says(name)} is no way of adding up token losses", name,
                fix=(Put(name, near),) if near in AGGREGATIONS else (), safe=True)  # fmt: skip


@rule(
    5, WARNING, "GSPO with a mean over tokens",
    bad=verl(f"{ACTOR}policy_loss.loss_mode=gspo", f"{ACTOR}clip_ratio_low=0.0003", f"{ACTOR}clip_ratio_high=0.0004"),
    good=verl(f"{ACTOR}policy_loss.loss_mode=gspo", f"{ACTOR}loss_agg_mode=seq-mean-token-mean", f"{ACTOR}clip_ratio_low=0.0003",
              f"{ACTOR}clip_ratio_high=0.0004"),
    advice="set the aggregation to seq-mean-token-mean", source="H66; veRL 0.9 core_algos.py 1545-1607", frameworks=("verl",),
    since="0.9.1", fixable=True,
)  # fmt: skip
def _gspo_mean(s: Subject) -> Findings:
    """GSPO weighs whole sequences. veRL 0.6 to 0.9.0 forced the mean over sequences whatever the key said; 0.9.1 obeys the
    key, whose default is the mean over tokens, so the same file now trains with another loss."""
    if s.value(f"{LOSS}family") == "gspo" and s.value("algorithm.loss_agg") == "token-mean":
        yield finding(f"gspo with {s.says('algorithm.loss_agg')}", "algorithm.loss_agg", f"{LOSS}family",
                    fix=Put("algorithm.loss_agg", "seq-mean-token-mean"))  # fmt: skip


@rule(
    6, WARNING, "GSPO with PPO's clip range",
    bad=verl(f"{ACTOR}policy_loss.loss_mode=gspo", f"{ACTOR}loss_agg_mode=seq-mean-token-mean"),
    good=verl(f"{ACTOR}policy_loss.loss_mode=gspo", f"{ACTOR}loss_agg_mode=seq-mean-token-mean", f"{ACTOR}clip_ratio_low=0.0003",
              f"{ACTOR}clip_ratio_high=0.0004"),
    advice="0.0003 and 0.0004 are the paper's values", source="the GSPO paper; veRL core_algos.py 1253-1327", fixable=True,
)  # fmt: skip
def _gspo_clip(s: Subject) -> Findings:
    """GSPO clips the length-normalised ratio of a sequence, which stays within a thousandth of 1. A range of 0.2 never
    clips."""
    low, high = f"{LOSS}clip_low", f"{LOSS}clip_high"
    got = s.number(high)
    if s.value(f"{LOSS}family") == "gspo" and got is not None and got > 0.05:
        yield finding(f"gspo with {s.says(high)}: a sequence's ratio never leaves that range", high, low, f"{LOSS}family",
                    fix=(Put(low, 0.0003), Put(high, 0.0004)))  # fmt: skip


@rule(
    7, INFO, "a loss whose divisor differs between releases",
    bad=verl(f"{ACTOR}loss_agg_mode=seq-mean-token-sum-norm"), good=verl(f"{ACTOR}loss_agg_mode=token-mean"),
    advice="when you change release or framework, move the gradient clip with it", source="H61",
)  # fmt: skip
def _sum_norm(s: Subject) -> Findings:
    """The same name divides by the answer length (veRL up to 0.6, ROLL, Trinity-RFT per micro-batch) or by length times
    sequences (veRL from 0.7.1 on), so gradients differ by up to three orders of magnitude and the clip bites differently."""
    if str(s.value("algorithm.loss_agg")).endswith("sum-over-len") and s.written("algorithm.loss_agg"):
        yield finding(
            f"{s.says('algorithm.loss_agg')} divides differently in other releases and frameworks", "algorithm.loss_agg"
        )


@rule(
    8, WARNING, "a critic that nothing asks",
    bad=verl("critic.enable=True", "critic.model.path=Qwen/Qwen2.5-7B-Instruct"), good=verl("critic.enable=False"),
    advice="leave critic.enable out", source="veRL ppo/utils.py need_critic", frameworks=("verl",), since="0.6.1", fixable=True,
)  # fmt: skip
def _useless_critic(s: Subject) -> Findings:
    """A group estimator takes its baseline from the group. The critic is loaded and trained all the same."""
    if s.value("algorithm.advantage") in GROUPED and s.native.value("critic.enable") is True:
        yield finding(f"{s.says('critic.enable')}, but {s.value('algorithm.advantage')} uses no critic", "critic.enable",
                    "algorithm.advantage", fix=Put("critic.enable", value=False))  # fmt: skip


@rule(
    9, ERROR, "GAE without a critic",
    bad=verl("algorithm.adv_estimator=gae", "critic.enable=False"), good=verl(*GAE),
    advice="leave critic.enable out", source="veRL ppo/utils.py need_critic; core_algos.py compute_gae", frameworks=("verl",),
    since="0.6.1", fixable=True,
)  # fmt: skip
def _no_critic(s: Subject) -> Findings:
    """GAE needs values of tokens, which only a critic gives."""
    if s.value("algorithm.advantage") == "gae" and s.native.value("critic.enable") is False:
        yield finding("gae needs a critic, and critic.enable is False", "critic.enable", "algorithm.advantage",
                    fix=Drop("critic.enable"), safe=True)  # fmt: skip


@rule(
    10, WARNING, "a critic warm-up without a critic",
    bad=verl("trainer.critic_warmup=10"), good=verl("trainer.critic_warmup=0"),
    advice="set it to 0", source="H20; veRL 0.9 trainer_base.py 608", frameworks=("verl", "roll"), fixable=True,
)  # fmt: skip
def _stray_warmup(s: Subject) -> Findings:
    """The warm-up freezes the policy while the critic learns. Without a critic the policy is frozen all the same, and
    these periods are lost."""
    key = "trainer.critic_warmup" if s.framework == "verl" else "critic_warmup"
    got = s.number(key)
    if got and got > 1 and s.value("algorithm.critic.enabled") is False:
        yield finding(f"{s.says(key)} freezes the policy, and there is no critic to warm up", key, fix=Put(key, 0))


@rule(
    11, WARNING, "a critic that starts from the placeholder",
    bad=verl("algorithm.adv_estimator=gae"), good=verl(*GAE),
    advice="give critic.model.path", source="veRL 0.9 config/model/hf_model.yaml", frameworks=("verl",),
)  # fmt: skip
def _critic_path(s: Subject) -> Findings:
    """The critic does not follow the policy's model; its default is a path on the authors' machines."""
    if s.value("algorithm.critic.enabled") and not s.written("critic.model.path"):
        yield finding("the critic's model is not given, and does not follow the policy's", "critic.model.path", "algorithm.advantage",
                    help="set critic.model.path")  # fmt: skip


@rule(
    12, ERROR, "a discount outside 0 to 1",
    bad=verl(*GAE, "algorithm.gamma=1.5"), good=verl(*GAE, "algorithm.gamma=1.0"),
    advice="gamma 1 and lam 0.95 to 1 are usual", source="veRL ppo_trainer.yaml; ROLL configs/base_config.py 513-514", fixable=True,
)  # fmt: skip
def _discount(s: Subject) -> Findings:
    """Above 1 the returns of long answers explode; below 0 they change sign from token to token."""
    for name in ("algorithm.gamma", "algorithm.lam"):
        got = s.number(name)
        if got is not None and s.written(name) and not 0 <= got <= 1:
            yield finding(f"{s.says(name)} is outside 0 to 1", name, fix=Put(name, 1.0))


@rule(
    13, WARNING, "a filter of groups that nothing runs",
    bad=verl("+algorithm.filter_groups.enable=True", "+algorithm.filter_groups.metric=acc", release="0.8.0"),
    good=verl("algorithm.filter_groups.enable=True", "algorithm.filter_groups.metric=acc"),
    advice="start the DAPO recipe, or use 0.9", source="veRL 0.9 replay_buffer.py 270-316", frameworks=("verl",), until="0.8.0",
)  # fmt: skip
def _no_filter(s: Subject) -> Findings:
    """Up to 0.8 only the DAPO recipe filters; main_ppo takes the keys and trains on every group."""
    key = "algorithm.filter_groups.enable"
    program = s.document.launch.program if s.document.launch else ""
    if s.value(key) is True and s.written(key) and ("main_ppo" in program or not program):
        yield finding(f"{s.says(key)}: main_ppo of {s.best.release} filters nothing", key)


@rule(
    14, ERROR, "a filter of groups without a metric",
    bad=verl("algorithm.filter_groups.enable=True", "algorithm.filter_groups.metric=null"),
    good=verl("algorithm.filter_groups.enable=True", "algorithm.filter_groups.metric=acc"),
    advice="give the metric, e.g. reward", source="veRL utils/config.py validate_config", frameworks=("verl",), since="0.9.0", fixable=True,
)  # fmt: skip
def _no_metric(s: Subject) -> Findings:
    """The trainer drops groups whose metric is the same in every answer, and asserts that it knows which one."""
    key = "algorithm.filter_groups.metric"
    if s.value("algorithm.filter_groups.enable") is True and s.native.value(key) is None and not s.unknown(key):
        yield finding(
            "the filter has no metric", key, "algorithm.filter_groups.enable", fix=Put(key, "reward"), safe=True
        )


@rule(
    15, ERROR, "GDPO without its rewards",
    bad=verl("algorithm.adv_estimator=gdpo"), good=verl("algorithm.adv_estimator=grpo"),
    advice="list them in algorithm.gdpo_reward_keys", source="veRL core_algos.py registries", frameworks=("verl",), since="0.7.1",
)  # fmt: skip
def _gdpo(s: Subject) -> Findings:
    """The estimator normalises several rewards apart and has to know their names."""
    if s.native.value("algorithm.adv_estimator") == "gdpo" and not s.native.value("algorithm.gdpo_reward_keys"):
        yield finding("gdpo needs algorithm.gdpo_reward_keys", "algorithm.adv_estimator")


@rule(
    16, ERROR, "DRO without its penalty",
    bad=verl(f"{ACTOR}policy_loss.loss_mode=dro", f"{ACTOR}policy_loss.dro_beta=0.0"),
    good=verl(f"{ACTOR}policy_loss.loss_mode=dro", f"{ACTOR}policy_loss.dro_beta=0.1"),
    advice="give a positive dro_beta", source="veRL core_algos.py registries", frameworks=("verl",), since="0.9.0",
)  # fmt: skip
def _dro(s: Subject) -> Findings:
    """The quadratic penalty's weight must be positive; the loss function asserts it at the first update."""
    key = f"{ACTOR}policy_loss.dro_beta"
    got = s.native.value(key)
    if s.native.value(f"{ACTOR}policy_loss.loss_mode") == "dro" and (
        got is None or (isinstance(got, (int, float)) and got <= 0)
    ):
        yield finding(f"dro needs a positive {key}", key, f"{ACTOR}policy_loss.loss_mode")


@rule(
    17, ERROR, "a correction without the engine's log-probabilities",
    bad=verl("algorithm.rollout_correction.rollout_is=token", f"{ROLLOUT}calculate_log_probs=False"),
    good=verl("algorithm.rollout_correction.rollout_is=token", f"{ROLLOUT}calculate_log_probs=True"),
    advice="set rollout.calculate_log_probs to true", source="veRL 0.9 rollout_correction.yaml", frameworks=("verl",), since="0.6.1",
    fixable=True,
)  # fmt: skip
def _no_engine_logprobs(s: Subject) -> Findings:
    """Every mode of the correction compares the trainer's probabilities with the engine's, which the engine only returns
    when it is asked to. Up to 0.8 it is not asked by default."""
    key, path = f"{ROLLOUT}calculate_log_probs", "algorithm.rollout_correction."
    keys = [
        path + n for n in ("rollout_is", "rollout_rs", "bypass_mode") if s.value(path + n) not in (None, False, "null")
    ]
    if keys and s.native.value(key) is False:
        yield finding(f"{s.says(keys[0])} needs the engine's log-probabilities, and {s.says(key)}", key, keys[0],
                    fix=Put(key, value=True), safe=True)  # fmt: skip


@rule(
    18, ERROR, "SAPO's temperatures the wrong way round",
    bad=trinity("algorithm.algorithm_type=sapo", "algorithm.policy_loss_fn_args.tau_pos=1.0", "algorithm.policy_loss_fn_args.tau_neg=0.5"),
    good=trinity("algorithm.algorithm_type=sapo", "algorithm.policy_loss_fn_args.tau_pos=1.0", "algorithm.policy_loss_fn_args.tau_neg=1.05"),
    advice="tau_neg must be at least tau_pos", source="Trinity config_validator.py AlgorithmConfigValidator", fixable=True,
)  # fmt: skip
def _sapo(s: Subject) -> Findings:
    """Bad answers are to be damped at least as much as good ones."""
    low, high = s.number(f"{LOSS}tau_pos"), s.number(f"{LOSS}tau_neg")
    if s.value(f"{LOSS}family") in ("sapo", "sapo_detached") and low is not None and high is not None and high < low:
        yield finding(f"{s.says(f'{LOSS}tau_neg')} is below {s.says(f'{LOSS}tau_pos')}", f"{LOSS}tau_neg", f"{LOSS}tau_pos",
                    fix=Put(f"{LOSS}tau_neg", low), safe=True)  # fmt: skip


@rule(
    19, WARNING, "an entropy bonus that punishes entropy",
    bad=verl(f"{ACTOR}entropy_coeff=-0.01"), good=verl(f"{ACTOR}entropy_coeff=0.001"),
    advice="the coefficient is subtracted from the loss: positive keeps answers varied", source="ChatLearn policy_trainer.py 266-283", fixable=True,
)  # fmt: skip
def _entropy(s: Subject) -> Findings:
    """All frameworks subtract coefficient times entropy, so a negative one drives the policy to one answer."""
    got = s.number("algorithm.entropy_coef")
    if got is not None and got < 0:
        yield finding(f"{s.says('algorithm.entropy_coef')} punishes varied answers", "algorithm.entropy_coef",
                    fix=Put("algorithm.entropy_coef", -got))  # fmt: skip


@rule(
    20, INFO, "a large entropy bonus",
    bad=verl(f"{ACTOR}entropy_coeff=0.5"), good=verl(f"{ACTOR}entropy_coeff=0.001"),
    advice="0 to 0.01 is usual", source="veRL's own examples", fixable=False,
)  # fmt: skip
def _much_entropy(s: Subject) -> Findings:
    """Entropy of a language model is several nats a token; a large coefficient outweighs the reward, and answers turn to
    noise."""
    got = s.number("algorithm.entropy_coef")
    if got is not None and got > 0.1:
        yield finding(f"{s.says('algorithm.entropy_coef')}", "algorithm.entropy_coef")


@rule(
    21, INFO, "REINFORCE++ without a KL in the reward",
    bad=verl("algorithm.adv_estimator=reinforce_plus_plus"),
    good=verl("algorithm.adv_estimator=reinforce_plus_plus", "algorithm.use_kl_in_reward=True", "algorithm.kl_ctrl.kl_coef=0.001"),
    advice="set algorithm.use_kl_in_reward, or mean it", source="verl-project/verl PR#2580", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _reinforce_pp(s: Subject) -> Findings:
    """The method puts the penalty into each token's reward; a KL in the loss is another method."""
    if (
        s.native.value("algorithm.adv_estimator") == "reinforce_plus_plus"
        and s.value("algorithm.kl_reward.enabled") is False
    ):
        yield finding("reinforce_plus_plus is meant with its KL in the reward", "algorithm.use_kl_in_reward", "algorithm.advantage",
                    fix=Put("algorithm.use_kl_in_reward", value=True))  # fmt: skip


@rule(
    22, ERROR, "router replay and bypassed log-probabilities together",
    bad=verl("algorithm.rollout_correction.bypass_mode=True", f"{ACTOR}strategy=megatron", "model_engine=megatron",
             f"{ACTOR}megatron.router_replay.mode=R2"),
    good=verl("algorithm.rollout_correction.bypass_mode=False", f"{ACTOR}strategy=megatron", "model_engine=megatron",
              f"{ACTOR}megatron.router_replay.mode=R2"),
    advice="use R3, or no bypass", source="veRL utils/config.py validate_config", frameworks=("verl",), since="0.9.1", fixable=True,
)  # fmt: skip
def _replay(s: Subject) -> Findings:
    """Mode R2 records routing while old log-probabilities are computed, which the bypass leaves out."""
    key = f"{ACTOR}megatron.router_replay.mode"
    if s.native.value(key) == "R2" and s.native.value("algorithm.rollout_correction.bypass_mode") is True:
        yield finding(f"{s.says(key)} with bypass_mode", key, "algorithm.rollout_correction.bypass_mode",
                    fix=Put("algorithm.rollout_correction.bypass_mode", value=False), safe=True)  # fmt: skip
