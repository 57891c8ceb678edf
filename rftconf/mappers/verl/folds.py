"""veRL keys that only make sense together: advantage, critic, loss."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, OpenKey
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.families import ESTIMATORS, LOSSES, described, native_name, plan_name
from rftconf.mappers.shapes import Behaves, leave_open, lose_known, settle_known
from rftconf.mappers.verl.conditions import WHITENED
from rftconf.mappers.verl.rows_training import ADVANTAGES
from rftconf.mappers.verl.teachers import ALONE, SWITCH, follows_teacher
from rftconf.plan.origin import Kind

ESTIMATOR, DIVIDES = "algorithm.adv_estimator", "algorithm.norm_adv_by_std_in_grpo"
ADVANTAGE, DEVIATION, CRITIC = (f"stage.algorithm.{name}" for name in ("advantage", "std_scope", "critic.enabled"))


def read_advantage(r: ReadContext) -> None:
    """The estimator's name; grpo with or without division by the group's standard deviation."""
    if follows_teacher(r):
        r.inactive[DIVIDES] = ALONE
        if not _spares_the_critic(r):
            r.inactive[ESTIMATOR] = ALONE
        r.set(ADVANTAGE, "teacher", SWITCH, how="the teacher's divergence")
        r.set(DEVIATION, None, SWITCH)
        return
    name, keys = r.native(ESTIMATOR), (ESTIMATOR, DIVIDES)
    if name in ("grpo", "grpo_vectorized"):
        divides = r.native(DIVIDES, True) is not False
        r.set(ADVANTAGE, "grpo" if divides else "grpo_mean_only", *keys)
        r.set(DEVIATION, "group" if divides else "none", *keys)
        return
    known = not isinstance(name, Expr)
    if known:
        r.inactive[DIVIDES] = "only the grpo estimator reads it"
    r.set(ADVANTAGE, plan_name(name, ADVANTAGES, ESTIMATORS), ESTIMATOR)
    r.set(DEVIATION, None if known else name, *(keys[:1] if known else keys))


def write_advantage(w: WriteContext) -> None:
    """Write the estimator under the name of veRL's registry."""
    name = w.plan(ADVANTAGE)
    if follows_teacher(w) and not w.same_framework:
        w.put(ESTIMATOR, "grpo", always=True, how="nothing is learned from it; gae would train a critic")
        lose_known(w, State.DERIVED, "distillation.enabled: the teacher's divergence", ADVANTAGE, DEVIATION)
        return
    names, scope = {plan: native for native, plan in reversed(ADVANTAGES.items())}, w.plan(DEVIATION)
    if isinstance(name, Expr):
        value, state = (name, State.EXACT) if w.same_framework else ("???", State.UNRESOLVED)
        w.put(ESTIMATOR, value, ADVANTAGE, state=state)
    elif name in ("grpo", "grpo_mean_only"):
        w.put(ESTIMATOR, "grpo", ADVANTAGE, always=True)
        w.put(DIVIDES, name == "grpo", ADVANTAGE, DEVIATION)
        if scope == "batch":
            w.lose(DEVIATION, State.NARROWED, "veRL's grpo divides by the group's standard deviation, not the batch's")
    elif name in names or w.same_framework:
        w.put(ESTIMATOR, names.get(name) or native_name(name, {}), ADVANTAGE, always=True)
        same, other = scope not in ("batch", "running"), f"veRL's {names.get(name, name)} takes rewards as they are"
        settle_known(w, DEVIATION, same, "part of the estimator", other, State.NO_COUNTERPART)
    elif name is not None:
        w.put(ESTIMATOR, "???", ADVANTAGE, state=State.NO_COUNTERPART, note=f"veRL has no {name} estimator")
    elif w.plan("stage.kind") == "rl":  # veRL's own default would train a critic
        note = "the source does not tell its estimator"
        w.put(ESTIMATOR, "???", ADVANTAGE, state=State.UNRESOLVED, note=note)


def whitened(c: Context) -> Any:
    """Tell whether the estimator whitens advantages; None for one that is not veRL's own, since nobody knows."""
    estimator = c.effective(ESTIMATOR)
    if estimator == "???" or isinstance(estimator, Expr):
        return OpenKey(ESTIMATOR)
    name = c.plan(ADVANTAGE)
    known = name in ("grpo", "grpo_mean_only", "teacher") or name in ADVANTAGES.values()
    return name in WHITENED if known else None


def _spares_the_critic(r: ReadContext) -> bool:
    """True where the estimator alone keeps veRL from building a critic, whose own keys it would then check (need_critic)."""
    enabled = r.native("critic.enable")
    return (enabled is None or isinstance(enabled, Expr)) and r.native(ESTIMATOR) != "gae"


def read_critic(r: ReadContext) -> None:
    """critic.enable, or null: then exactly the gae estimator has one."""
    if follows_teacher(r):
        own = r.native("critic.enable")
        if own is True or (own is None and r.native(ESTIMATOR) == "gae"):
            r.note("a critic is trained beside the teacher, and nothing uses it: algorithm.adv_estimator gae has one")
        keys = (SWITCH, ESTIMATOR) if _spares_the_critic(r) else (SWITCH,)
        r.set(CRITIC, False, *keys, how="nothing uses a critic beside a teacher")
        return
    critic = r.native("critic.enable") if r.since("0.6.1") else None
    if critic is None:
        name = r.native(ESTIMATOR)
        critic = None if isinstance(name, Expr) else name == "gae"
    r.set(CRITIC, critic, "critic.enable", ESTIMATOR)


def write_critic(w: WriteContext) -> None:
    """Left to the estimator unless the plan says otherwise."""
    critic = w.plan(CRITIC)
    open_estimator = w.effective(ESTIMATOR) == "???"
    if critic is None or (critic == (w.plan(ADVANTAGE) == "gae") and not open_estimator):
        w.lose(CRITIC, State.DERIVED, "the estimator decides: gae has a critic")
    else:
        w.put("critic.enable", critic, CRITIC, always=True)


FAMILIES = {
    "vanilla": "ppo", "gspo": "gspo", "cispo": "cispo", "sapo": "sapo", "geo_mean": "geo_mean", "clip_cov": "clip_cov",
    "kl_cov": "kl_cov", "gpg": "gpg", "dppo_tv": "dppo_tv", "dppo_kl": "dppo_kl", "dro": "dro",
}  # fmt: skip
LOSS_SINCE = {
    "gpg": "0.5.0", "gspo": "0.6.1", "geo_mean": "0.6.1",
    "cispo": "0.7.1", "sapo": "0.7.1", "dppo_tv": "0.7.1", "dppo_kl": "0.7.1", "dro": "0.9.0",
}  # fmt: skip
"""The catalogued release that first registers a loss (core_algos.register_policy_loss); the others are as old as 0.4.1."""
L, AGG, OF_SEQUENCES = "stage.algorithm.", "actor_rollout_ref.actor.loss_agg_mode", "seq-mean-token-mean"
FACTOR = "actor_rollout_ref.actor.loss_scale_factor"


OVER_UPDATE = "veRL averages the loss over the whole update on all ranks (H25, H26)"
OVER_MICRO = "veRL averages the loss over each micro-batch, then over those (H25, H26)"
LEGACY = "trainer.use_legacy_worker_impl"


def _averages_over_update(c: Context) -> bool:
    """True where engine workers learn, whose losses are divided by the counts of the whole update: the only ones since 0.8,
    and in 0.7 where the switch says so (verl/workers/utils/losses.py: ppo_loss, global_batch_info)."""
    return c.since("0.8.0") or (c.since("0.7.1") and c.facts.removed.get(LEGACY) == "disable")


SCOPE = Behaves(
    L + "loss_norm_scope",
    lambda c: "update" if _averages_over_update(c) else "micro_batch_mean",
    "global over the update since 0.8, per micro-batch before",
    lambda c: OVER_UPDATE if _averages_over_update(c) else OVER_MICRO,
    as_here="as veRL does",
)


def read_loss(r: ReadContext) -> None:
    """Family, aggregation and its scope, which changed with the releases."""
    mode = r.native("actor_rollout_ref.actor.policy_loss.loss_mode", "vanilla")
    family = plan_name(mode, FAMILIES, LOSSES)
    r.set(L + "policy_loss.family", family, "actor_rollout_ref.actor.policy_loss.loss_mode")
    agg = r.native(AGG, "token-mean")
    if _is_of_sequences(family, r) and agg != OF_SEQUENCES:
        why = f"the {family} loss takes {OF_SEQUENCES}, whatever the key says (H66)"
        if r.plan(L + "kl_loss.enabled") is False and r.plan(L + "entropy_coef") in (0, None):
            r.inactive[AGG] = why
        else:
            r.narrowed[AGG] = f"{why}; KL and entropy take {agg}"
            r.beyond[AGG] = agg
        agg = OF_SEQUENCES
    if agg == "seq-mean-token-sum-norm":
        agg = "seq-mean-sum-over-len" if r.since("0.7.1") else "sum-over-len"
    r.set(L + "loss_agg", agg, AGG)
    follows = r.written("data.max_response_length") and not r.written(FACTOR)
    kind = Kind.DERIVED if follows else None
    r.set(L + "loss_agg_tokens", _divisor(r, agg), FACTOR, "data.max_response_length", kind=kind)
    SCOPE.read(r)


def _is_of_sequences(family: Any, c: Context) -> bool:
    """True where the loss is always a mean over sequences (core_algos.py: sapo and geo_mean, gspo before 0.9.1)."""
    return family in ("sapo", "geo_mean") or (family == "gspo" and not c.since("0.9.1"))


def _divisor(r: ReadContext, agg: Any) -> Any:
    if agg not in ("seq-mean-sum-over-len", "sum-over-len"):
        if r.written(FACTOR):
            r.inactive[FACTOR] = "only seq-mean-token-sum-norm reads it"
        return None
    factor = r.native(FACTOR)
    return r.plan("stage.length.response_max_tokens") if factor is None else factor


def write_loss(w: WriteContext) -> None:
    """The family's registry name and the aggregation in this release's meaning."""
    family = w.plan(L + "policy_loss.family")
    names = {plan: native for native, plan in FAMILIES.items()}
    key = "actor_rollout_ref.actor.policy_loss.loss_mode"
    named = names.get(family) if isinstance(family, str) else None
    if named is not None and not w.same_framework and not w.since(LOSS_SINCE.get(named, "0")):
        note = f"veRL has the {named} loss since {LOSS_SINCE[named]}"
        leave_open(w, key, note, L + "policy_loss.family", state=State.NO_COUNTERPART)
    elif isinstance(family, Expr) and not w.same_framework:
        leave_open(w, key, "the loss depends on a value the source does not tell", L + "policy_loss.family")
    elif family in names or w.same_framework:
        w.put(key, native_name(family, FAMILIES), L + "policy_loss.family")
    elif family is not None:
        note = f"veRL has no {described(family)} policy loss"
        w.put(key, "???", L + "policy_loss.family", state=State.NO_COUNTERPART, note=note)
    _write_aggregation(w)
    SCOPE.write(w)


def _write_aggregation(w: WriteContext) -> None:
    agg = w.plan(L + "loss_agg")
    mine = "seq-mean-sum-over-len" if w.since("0.7.1") else "sum-over-len"
    if agg in ("seq-mean-sum-over-len", "sum-over-len"):
        other = "the same name divides by the number of sequences as well: gradients differ by that factor (H61)"
        state, note = (State.EXACT, "") if agg == mine else (State.NARROWED, other)
        w.put(AGG, "seq-mean-token-sum-norm", L + "loss_agg", state=state, note=note, always=True)
        tokens = w.plan(L + "loss_agg_tokens")
        if tokens != w.plan("stage.length.response_max_tokens"):
            w.put(FACTOR, tokens, L + "loss_agg_tokens")
        else:
            w.lose(L + "loss_agg_tokens", State.DEFAULT, "the padded response length")
    elif agg is not None:
        forced = not w.same_framework and agg != OF_SEQUENCES and _is_of_sequences(w.plan(L + "policy_loss.family"), w)
        note = f"veRL takes {OF_SEQUENCES} of this loss, whatever it is told (H66)" if forced else ""
        w.put(AGG, agg, L + "loss_agg", note=note, always=True)
