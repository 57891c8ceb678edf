"""KL penalties and the reference model they need."""

from __future__ import annotations

from rftconf.lint.rule import ERROR, INFO, WARNING, Drop, Family, Findings, Put, finding, trinity, verl
from rftconf.lint.subject import Subject

FAMILY = Family("KLD")
rule = FAMILY.rule
ACTOR = "actor_rollout_ref.actor."
LOSS, REWARD = "algorithm.kl_loss.", "algorithm.kl_reward."
IN_LOSS, IN_REWARD = f"{ACTOR}use_kl_loss=True", "algorithm.use_kl_in_reward=True"


@rule(
    1, WARNING, "KL in the loss and in the reward",
    bad=verl(IN_LOSS, IN_REWARD), good=verl(IN_LOSS, "algorithm.use_kl_in_reward=False"),
    advice="keep one of them", source="verl-project/verl#3276, #455, #509; veRL utils/config.py warns", fixable=False,
)  # fmt: skip
def _twice(s: Subject) -> Findings:
    """The policy is held to the reference twice, by two coefficients that are easily taken for one."""
    if s.value(f"{LOSS}enabled") is True and s.value(f"{REWARD}enabled") is True:
        yield finding(
            f"{s.says(f'{LOSS}enabled')} and {s.says(f'{REWARD}enabled')}", f"{REWARD}enabled", f"{LOSS}enabled"
        )


@rule(
    2, WARNING, "a KL penalty of weight zero",
    bad=verl(IN_LOSS, f"{ACTOR}kl_loss_coef=0.0"), good=verl(IN_LOSS, f"{ACTOR}kl_loss_coef=0.001"),
    advice="switch it off, or give a weight", source="H35", fixable=False,
)  # fmt: skip
def _for_nothing(s: Subject) -> Findings:
    """The reference model is loaded and runs over every batch, and its result is multiplied by zero. Some recipes do it
    on purpose, to have the KL in their logs."""
    has_switch = s.native.framework != "verl" or s.since(
        "0.4.1"
    )  # before, a weight of zero was the only way to have none
    for term in (LOSS, REWARD) if has_switch else (LOSS,):
        if s.value(f"{term}enabled") is True and s.number(f"{term}coef") == 0:
            yield finding(
                f"{s.says(f'{term}coef')}: the reference model runs for a penalty of zero",
                f"{term}coef",
                f"{term}enabled",
            )


@rule(
    3, ERROR, "a KL penalty that rewards distance",
    bad=verl(IN_LOSS, f"{ACTOR}kl_loss_coef=-0.001"), good=verl(IN_LOSS, f"{ACTOR}kl_loss_coef=0.001"),
    advice="make it positive", source="veRL ppo_trainer.yaml, actor.yaml; ROLL rlvr/actor_worker.py 55-110", fixable=True,
)  # fmt: skip
def _negative(s: Subject) -> Findings:
    """A negative weight drives the policy away from the reference without bound."""
    for term in (LOSS, REWARD):
        got = s.number(f"{term}coef")
        if got is not None and got < 0:
            yield finding(f"{s.says(f'{term}coef')} is negative", f"{term}coef", fix=Put(f"{term}coef", -got))


@rule(
    4, INFO, "a strong KL penalty",
    bad=verl(IN_LOSS, f"{ACTOR}kl_loss_coef=1.0"), good=verl(IN_LOSS, f"{ACTOR}kl_loss_coef=0.001"),
    advice="0.0005 to 0.05 is usual", source="veRL's, Trinity's and ROLL's own examples",
)  # fmt: skip
def _strong(s: Subject) -> Findings:
    """A penalty with a weight near 1 outweighs rewards between 0 and 1, and the policy stays where it is."""
    for term in (LOSS, REWARD):
        got = s.number(f"{term}coef")
        if got is not None and got >= 0.5 and s.value(f"{term}enabled") is True:
            yield finding(f"{s.says(f'{term}coef')} outweighs usual rewards", f"{term}coef")


@rule(
    5, ERROR, "an estimator of the KL that does not exist",
    bad=verl(IN_LOSS, f"{ACTOR}kl_loss_type=k4"), good=verl(IN_LOSS, f"{ACTOR}kl_loss_type=low_var_kl"),
    advice="kl (k1), abs, mse (k2) or low_var_kl (k3)", source="veRL core_algos.py kl_penalty", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _estimator(s: Subject) -> Findings:
    """The name is looked up at the first update."""
    known = ("kl", "k1", "abs", "mse", "k2", "low_var_kl", "k3", "full")
    for key, on in ((f"{ACTOR}kl_loss_type", LOSS), ("algorithm.kl_penalty", REWARD)):
        got = s.native.value(key)
        if (
            s.value(f"{on}enabled") is True
            and isinstance(got, str)
            and got.removesuffix("+") not in known
            and s.written(key)
        ):
            yield finding(f"{s.says(key)}: there is no such estimator", key, fix=Put(key, "low_var_kl"))


@rule(
    6, ERROR, "the full KL",
    bad=verl(IN_REWARD, "algorithm.kl_penalty=full"), good=verl(IN_REWARD, "algorithm.kl_penalty=kl"),
    advice="choose an estimator", source="veRL core_algos.py 1841-1900", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _full(s: Subject) -> Findings:
    """veRL names it and raises NotImplementedError, because it keeps only the probabilities of the sampled tokens."""
    for key, on in ((f"{ACTOR}kl_loss_type", LOSS), ("algorithm.kl_penalty", REWARD)):
        if s.value(f"{on}enabled") is True and s.native.value(key) == "full":
            yield finding(f"{s.says(key)} is not implemented", key, fix=Put(key, "low_var_kl"))


@rule(
    7, ERROR, "a straight-through estimator before it existed",
    bad=verl(IN_LOSS, f"{ACTOR}kl_loss_type=k3+", release="0.7.1"), good=verl(IN_LOSS, f"{ACTOR}kl_loss_type=k3+", release="0.8.0"),
    advice="leave the + out", source="veRL core_algos.py registries", frameworks=("verl",), until="0.7.1", fixable=True,
)  # fmt: skip
def _straight_through(s: Subject) -> Findings:
    """The suffix + came with 0.8; before, the name raises NotImplementedError at the first update."""
    key = f"{ACTOR}kl_loss_type"
    got = s.native.value(key)
    if s.value(f"{LOSS}enabled") is True and isinstance(got, str) and got.endswith("+"):
        yield finding(f"{s.says(key)} came with 0.8.0", key, fix=Put(key, got.rstrip("+")))


@rule(
    8, ERROR, "an adaptive KL without a horizon",
    bad=verl(IN_REWARD, "algorithm.kl_ctrl.type=adaptive", "algorithm.kl_ctrl.horizon=0"),
    good=verl(IN_REWARD, "algorithm.kl_ctrl.type=adaptive", "algorithm.kl_ctrl.horizon=10000"),
    advice="give a positive horizon", source="veRL core_algos.py get_kl_controller", fixable=True,
)  # fmt: skip
def _horizon(s: Subject) -> Findings:
    """The controller divides by it, and veRL asserts that it is positive."""
    got = s.number(f"{REWARD}horizon")
    if s.value(f"{REWARD}controller") == "adaptive" and got is not None and got <= 0:
        yield finding(
            f"{s.says(f'{REWARD}horizon')}", f"{REWARD}horizon", fix=Put(f"{REWARD}horizon", 10000), safe=True
        )


@rule(
    9, ERROR, "a KL controller that does not exist",
    bad=verl(IN_REWARD, "algorithm.kl_ctrl.type=linear"), good=verl(IN_REWARD, "algorithm.kl_ctrl.type=fixed"),
    advice="fixed or adaptive", source="veRL core_algos.py get_kl_controller", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _controller(s: Subject) -> Findings:
    """The trainer knows fixed and adaptive, and raises NotImplementedError for anything else."""
    key = "algorithm.kl_ctrl.type"
    got = s.native.value(key)
    if s.value(f"{REWARD}enabled") is True and isinstance(got, str) and got not in ("fixed", "adaptive"):
        yield finding(f"{s.says(key)}", key, fix=Put(key, "fixed"))


@rule(
    10, INFO, "a KL weight that nothing uses",
    bad=verl("algorithm.kl_ctrl.kl_coef=0.001"), good=verl(IN_REWARD, "algorithm.kl_ctrl.kl_coef=0.001"),
    advice="set algorithm.use_kl_in_reward, or leave the coefficient out", source="verl-project/verl PR#644", frameworks=("verl",), fixable=True,
)  # fmt: skip
def _left_over(s: Subject) -> Findings:
    """Very old releases had the KL in the reward unless use_kl_loss was set. Since then the coefficient alone does
    nothing, and scripts of that time train without any penalty."""
    key = "algorithm.kl_ctrl.kl_coef"
    if s.written(key) and s.number(key) and s.value(f"{REWARD}enabled") is False and s.value(f"{LOSS}enabled") is False:
        yield finding(f"{s.says(key)} has no effect: KL is neither in the reward nor in the loss", key, fix=Drop(key))


@rule(
    11, INFO, "a KL that group normalisation takes out again",
    bad=verl(IN_REWARD), good=verl(IN_LOSS),
    advice="with a group estimator, put the KL into the loss", source="H27", fixable=False,
)  # fmt: skip
def _normalised_away(s: Subject) -> Findings:
    """The penalty is subtracted before rewards are normalised within the group, so its size, and often the penalty
    itself, is divided away."""
    grouped = s.value("algorithm.advantage") in ("grpo", "rloo", "grpo_mean_only", "opo")
    if grouped and s.value(f"{REWARD}enabled") is True and s.value(f"{REWARD}order") == "before_norm":
        yield finding(f"{s.says(f'{REWARD}enabled')} with a group estimator", f"{REWARD}enabled", "algorithm.advantage")


@rule(
    12, WARNING, "an adaptive KL without a target",
    bad=verl(IN_REWARD, "algorithm.kl_ctrl.type=adaptive", "algorithm.kl_ctrl.target_kl=0.0"),
    good=verl(IN_REWARD, "algorithm.kl_ctrl.type=adaptive", "algorithm.kl_ctrl.target_kl=0.1"),
    advice="0.01 to 0.1 is usual", source="veRL core_algos.py AdaptiveKLController", fixable=True,
)  # fmt: skip
def _target(s: Subject) -> Findings:
    """The controller divides by its target and compares with it; zero or less has no meaning."""
    got = s.number(f"{REWARD}target")
    if s.value(f"{REWARD}controller") == "adaptive" and got is not None and got <= 0:
        yield finding(f"{s.says(f'{REWARD}target')}", f"{REWARD}target", fix=Put(f"{REWARD}target", 0.1))


@rule(
    13, WARNING, "a KL estimator without a bound",
    bad=trinity("algorithm.kl_loss_fn=k3"), good=trinity("algorithm.kl_loss_fn=low_var_kl"),
    advice="low_var_kl is the same, clamped at 10", source="H36; Trinity algorithm/kl_fn", frameworks=("trinity",), fixable=True,
)  # fmt: skip
def _unbounded(s: Subject) -> Findings:
    """k3 grows with the exponential of the log-ratio: one token at a log-ratio of 4 counts 50 times as much as usual. veRL
    and ROLL clamp it at 10."""
    if s.value(f"{LOSS}enabled") is True and s.value(f"{LOSS}estimator") == "k3":
        yield finding(f"{s.says(f'{LOSS}estimator')} is not clamped here", f"{LOSS}estimator",
                    fix=Put("algorithm.kl_loss_fn", "low_var_kl"))  # fmt: skip
