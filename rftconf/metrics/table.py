"""Runs measure these quantities: each stands once, with the name that every framework and our runner log it under.

A framework's own names stand in the module `metrics` of its folder, under the words by which a quantity is called here.
`since` and `older` say what earlier releases than the newest do otherwise. A test finds every name in the code of those
releases.
"""

from __future__ import annotations

from rftconf.mappers.logged import Counter, Logged
from rftconf.mappers.profiles import families, metrics_of
from rftconf.metrics.quantity import RUNNER, Quantity
from rftconf.plan.units import Unit

_NAMES = {family: names for family in families() if (names := metrics_of(family)) is not None}
COUNTERS: tuple[Counter, ...] = (
    *(counter for names in _NAMES.values() for counter in names.COUNTERS),
    Counter(RUNNER, "", Unit.ROLLOUTS, 1, ("period",), "metrics.jsonl; a period is a rollout period"),
)
_LAST = "of the last update of the period; others average over the period's updates"


def _ours(name: str, differs: str = "") -> Logged:
    text = "CLOCKS.values()" if name.endswith("_seconds") else f"{name}="
    return Logged(name, "runners/rftconf_runner/record.py", "note", differs, text)


def _updated(name: str) -> Logged:
    """Name what our runner says of a period's last update."""
    return Logged(name, "runners/rftconf_runner/metrics.py", "of_updates", _LAST, f'"{name}"')


def _quantity(says: str, unit: str, ours: Logged | None = None) -> Quantity:
    """Gather a quantity's names: every framework's that logs it, and our runner's where it does."""
    logged = {family: names.LOGGED[says] for family, names in _NAMES.items() if says in names.LOGGED}
    return Quantity(says, unit, logged if ours is None else {**logged, RUNNER: ours})


QUANTITIES: tuple[Quantity, ...] = (
    _quantity("mean score of a sequence, before any KL penalty", "score", _ours("reward")),
    _quantity("largest score of a sequence, before any KL penalty", "score"),
    _quantity("smallest score of a sequence, before any KL penalty", "score"),
    _quantity("share of right answers in training", "share"),
    _quantity("mean reward of a sequence, KL penalty taken off", "reward"),
    _quantity("largest reward of a sequence, KL penalty taken off", "reward"),
    _quantity("smallest reward of a sequence, KL penalty taken off", "reward"),
    _quantity("mean advantage of a token of an answer", "advantage"),
    _quantity("largest advantage of a token of an answer", "advantage"),
    _quantity("smallest advantage of a token of an answer", "advantage"),
    _quantity("mean return of a token of an answer", "return"),
    _quantity("largest return of a token of an answer", "return"),
    _quantity("smallest return of a token of an answer", "return"),
    _quantity("mean critic's value of a token of an answer", "value"),
    _quantity("largest critic's value of a token of an answer", "value"),
    _quantity("smallest critic's value of a token of an answer", "value"),
    _quantity("share of right answers in validation, a data set at a time", "share"),
    _quantity("mean reward in validation, a data set at a time", "reward"),
    _quantity("mean length of an answer in validation, a data set at a time", "tokens"),
    _quantity("mean length of an answer", "tokens"),
    _quantity("largest length of an answer", "tokens"),
    _quantity("smallest length of an answer", "tokens"),
    _quantity("mean length of a prompt", "tokens"),
    _quantity("largest length of a prompt", "tokens"),
    _quantity("smallest length of a prompt", "tokens"),
    _quantity("share of answers that reach the longest length", "share"),
    _quantity("policy-gradient loss", "loss"),
    _quantity("loss that is differentiated: policy gradient, entropy, KL", "loss", _updated("loss")),
    _quantity("KL loss between policy and reference, before its coefficient", "KL"),
    _quantity("coefficient of the KL loss", "coefficient"),
    _quantity(
        "KL that is taken off the reward",
        "KL",
        Logged("kl", "runners/rftconf_runner/advantage_estimation.py", "more", "where reward or loss has a KL", '"kl"'),
    ),
    _quantity("coefficient of the KL in the reward", "coefficient"),
    _quantity("entropy of the policy before the updates", "nats"),
    _quantity("entropy during the updates", "nats"),
    _quantity("share of tokens whose ratio is clipped", "share"),
    _quantity("share of tokens bounded by dual clip", "share"),
    _quantity("KL between the policy of the rollout and of the update (k1)", "KL"),
    _quantity("norm of the policy's gradient before clipping", "norm", _updated("gradient_norm")),
    _quantity("learning rate of the policy", "per update", _updated("learning_rate")),
    _quantity("norm of the critic's gradient before clipping", "norm", _updated("critic_gradient_norm")),
    _quantity("learning rate of the critic", "per update"),
    _quantity("loss of the critic", "loss", _updated("critic_loss")),
    _quantity("share of values that are clipped", "share"),
    _quantity("share of the GPUs' arithmetic that updates the policy", "share"),
    _quantity("time to generate one period's answers", "seconds", _ours("rollout_seconds", "with rewards")),
    _quantity(
        "time to update the policy",
        "seconds",
        _ours("update_seconds", "with log-probs, values, advantages and the critic's updates"),
    ),
    _quantity("time to update the critic", "seconds"),
    _quantity("time for the policy's log-probs before the updates", "seconds"),
    _quantity("time for the reference's log-probs", "seconds"),
    _quantity("time for advantages", "seconds"),
    _quantity(
        "time to bring new weights to the engines",
        "seconds",
        _ours("sync_seconds", "without saving; with what was left to generate ahead"),
    ),
    _quantity("time of one whole step", "seconds"),
    _quantity("time to save a checkpoint", "seconds"),
    _quantity("time of one validation", "seconds"),
    _quantity("how many versions the oldest sample lags behind the policy", "versions", _ours("lag")),
    _quantity("tokens of a period by time and GPU", "tokens per second and GPU"),
)
"""In the order in which they are listed."""
