"""OpenRLHF's advantages, its critic, its KL penalty and its filter of groups."""

from __future__ import annotations

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.filters import first_filter
from rftconf.mappers.openrlhf.conditions import ESTIMATOR, KL
from rftconf.mappers.shapes import leave_open, lose_known, settle_known
from rftconf.plan.origin import Kind

A = "stage.algorithm."
UNDIVIDED = "algo.advantage.no_std_norm"
ADVANTAGE, DEVIATION, WHITE, CRITIC = (
    A + name for name in ("advantage", "std_scope", "whiten_advantage", "critic.enabled")
)
OF_DEVIATION = (
    (A + "std_ddof", 1, "torch.std divides by one less than there are"),
    (A + "std_guard", 1e-9, "it is added to the deviation, so that nothing is divided by zero"),
)
"""Facts about the deviation that group_norm divides by (experience_maker.py: compute_advantages_and_returns)."""
DDOF, GUARD = (path for path, _, _ in OF_DEVIATION)
ANSWERS = "stage.batch.responses_per_prompt"
NAMES = {
    "gae": "gae", "reinforce": "reinforce_pp", "reinforce_baseline": "reinforce_pp_baseline", "rloo": "rloo",
    "group_norm": "grpo", "dr_grpo": "grpo_mean_only", "flash_reinforce": "flash_reinforce",
}  # fmt: skip
"""OpenRLHF's estimators to the plan's names (experience_maker.py: compute_advantages_and_returns)."""
BACK = {plan: native for native, plan in NAMES.items()}
WHITENED = ("gae", "reinforce", "reinforce_baseline")
GROUPED = ("rloo", "reinforce_baseline", "group_norm", "dr_grpo")
"""Estimators that compare answers to one prompt, of which there must be two."""
SCOPES = {"grpo": "group", "grpo_mean_only": "none"}


def read_advantage(r: ReadContext) -> None:
    """The estimator's name; three of them whiten advantages over all tokens of a rollout."""
    name = r.native(ESTIMATOR)
    known = isinstance(name, str)
    plan = NAMES.get(name, name) if known else name
    r.set(ADVANTAGE, plan, ESTIMATOR)
    r.set(DEVIATION, SCOPES.get(plan) if known else name, ESTIMATOR)
    for path, mine, how in OF_DEVIATION:
        r.set(path, mine if plan == "grpo" else None, ESTIMATOR, how=how)
    r.set(WHITE, name in WHITENED if known else name, ESTIMATOR)
    r.set(CRITIC, name == "gae" if known else name, ESTIMATOR)
    if known and name not in WHITENED:
        r.inactive[UNDIVIDED] = f"{ESTIMATOR}={name} whitens nothing"
    elif r.native(UNDIVIDED) is True:
        r.narrowed[UNDIVIDED] = (
            "the mean over all tokens is taken off and nothing is divided; elsewhere whitening divides as well"
        )


def write_advantage(w: WriteContext) -> None:
    """The estimator of that name; one that OpenRLHF lacks is left open."""
    name, scope = w.plan(ADVANTAGE), w.plan(DEVIATION)
    native = BACK.get(name) if isinstance(name, str) else None
    if name is None and not w.same_framework:
        return
    if native is None:
        unknown = isinstance(name, Expr)
        note = (
            "the estimator depends on a value the source does not tell"
            if unknown
            else f"OpenRLHF has no {formula(name)} estimator"
        )
        if w.same_framework:
            w.put(ESTIMATOR, name, ADVANTAGE, always=True)
            return
        leave_open(w, ESTIMATOR, note, ADVANTAGE, state=State.UNRESOLVED if unknown else State.NO_COUNTERPART)
        lose_known(
            w, State.UNRESOLVED, "the estimator that is named here decides", DEVIATION, DDOF, GUARD, WHITE, CRITIC
        )
        return
    _refuse_single(w, native)
    w.put(ESTIMATOR, native, ADVANTAGE, always=True)
    mine = SCOPES.get(name)
    other = f"{ESTIMATOR}={native} divides by {mine or 'nothing before it whitens'}, and not by the deviation of {formula(scope)}"
    settle_known(w, DEVIATION, scope == mine or (mine is None and scope == "none"), "part of the estimator", other)
    for path, value, how in OF_DEVIATION:
        settle_known(w, path, w.plan(path) == value or native != "group_norm", how)
    whitens = native in WHITENED
    other = "advantages are whitened over all tokens here" if whitens else "advantages are not whitened here"
    settle_known(w, WHITE, w.plan(WHITE) == whitens, "part of the estimator", other)
    trains = "gae trains a critic, and nothing else does"
    settle_known(w, CRITIC, w.plan(CRITIC) == (native == "gae"), trains, trains, alike=State.DERIVED)


def _refuse_single(w: WriteContext, native: str) -> None:
    """Raise RefusedError for groups of one answer, which train_ppo_ray stops at."""
    if native in GROUPED and w.plan(ANSWERS) == 1:
        raise RefusedError(
            f"the source draws one answer to a prompt; OpenRLHF's {native} compares answers to one prompt and stops at one",
            choices=("2 or more answers a prompt in the source", "reinforce++ in the source"),
        )


IN_LOSS, KIND, TARGET, HORIZON, UNBIASED = (
    f"algo.kl.{name}" for name in ("use_loss", "estimator", "target", "horizon", "unbiased_gradient")
)
REWARD = tuple(
    f"{A}kl_reward.{name}" for name in ("enabled", "estimator", "coef", "controller", "target", "horizon", "order")
)
LOSS = tuple(f"{A}kl_loss.{name}" for name in ("enabled", "estimator", "coef"))
CLAMPED = "0.8.6"
"""The release since which estimators are clamped at 10 (openrlhf/models/utils.py: compute_approx_kl)."""
WORDS = {"k3_clamped": "k3", "k3": "k3", "k2": "k2", "k1": "k1"}


def read_kl(r: ReadContext) -> None:
    """One coefficient: of the penalty on each token's reward, or with use_loss of a term in the loss. At 0 there is none."""
    coef, inside, kind, target = (r.native(key) for key in (KL, IN_LOSS, KIND, TARGET))
    none = not isinstance(coef, Expr) and coef <= 0
    word = "k3_clamped" if kind == "k3" and r.since(CLAMPED) else kind
    rewards, loss = (False, False) if none else (inside if isinstance(inside, Expr) else not inside, inside)
    r.set(REWARD[0], rewards, KL, IN_LOSS)
    r.set(LOSS[0], loss, KL, IN_LOSS)
    for on, paths in ((rewards, REWARD), (loss, LOSS)):
        r.set(paths[1], word if on is not False else None, KIND)
        r.set(paths[2], coef if on is not False else None, KL)
    acts = rewards is not False
    adapts = target is not None and (isinstance(target, Expr) or target != 0)
    r.set(REWARD[3], ("adaptive" if adapts else "fixed") if acts else None, TARGET)
    r.set(REWARD[4], target if acts and adapts else None, TARGET)
    r.set(REWARD[5], r.native(HORIZON) if acts and adapts else None, HORIZON)
    order = "after_norm" if r.native(ESTIMATOR) in (*GROUPED, "flash_reinforce") else "before_norm"
    r.set(
        REWARD[6],
        order if acts else None,
        kind=Kind.DEFAULT,
        how="experience_maker.py: compute_reward, after the baseline",
    )
    if not adapts:
        r.inactive[HORIZON] = f"no effect without {TARGET}"
    elif loss is True:
        r.narrowed[TARGET] = (
            "the coefficient of the KL term in the loss moves towards this divergence, and elsewhere it is fixed"
        )
    if none:
        r.inactive.update(
            dict.fromkeys((IN_LOSS, KIND, TARGET, HORIZON, UNBIASED), f"{KL} is 0: there is no reference")
        )
    elif loss is not True:
        r.inactive[UNBIASED] = f"only a KL term in the loss has a gradient: {IN_LOSS} is off"


def write_kl(w: WriteContext) -> None:
    """The one coefficient; where the source has a penalty in both places the one in the loss stays."""
    rewards, loss = w.plan(REWARD[0]), w.plan(LOSS[0])
    if isinstance(rewards, Expr) or isinstance(loss, Expr):
        leave_open(
            w, KL, "whether there is a KL penalty, and where, depends on a value nobody tells", REWARD[0], LOSS[0]
        )
        return
    lost = "OpenRLHF has one KL penalty, and the source's in the loss is written"
    if not rewards and not loss:
        switches = [path for path in (REWARD[0], LOSS[0]) if path in w.values]
        if switches:
            w.put(KL, 0.0, *[path for path in switches if w.plan(path) is not None], always=True)
        lose_known(w, State.DEFAULT, "there is no penalty", *REWARD[1:], *LOSS[1:])
        return
    paths = LOSS if loss else REWARD
    coef, word = w.plan(paths[2]), w.plan(paths[1])
    w.put(
        KL,
        0.0 if coef is None else coef,
        *(path for path in (paths[0], paths[2]) if w.plan(path) is not None),
        always=True,
    )
    if loss:
        w.put(IN_LOSS, True, LOSS[0], always=True)
        lose_known(
            w, State.NARROWED if rewards else State.DEFAULT, lost if rewards else "the penalty is in the loss", *REWARD
        )
    else:
        _write_controller(w)
        lose_known(w, State.DEFAULT, "the penalty is on the rewards", *LOSS)
    if word is not None:
        native = WORDS.get(word) if isinstance(word, str) else None
        same = native is not None and (word != "k3" or not w.since(CLAMPED))
        note = "" if same else f"OpenRLHF has k1, k2 and k3, clamped at 10, where the source has {formula(word)}"
        w.put(
            KIND, native or ("k3" if loss else "k1"), paths[1], state=State.EXACT if same else State.NARROWED, note=note
        )


def _write_controller(w: WriteContext) -> None:
    target, horizon = w.plan(REWARD[4]), w.plan(REWARD[5])
    if w.plan(REWARD[3]) == "adaptive" and target is not None:
        w.put(TARGET, target, REWARD[3], REWARD[4], always=True)
        if horizon is not None:
            w.put(HORIZON, horizon, REWARD[5])
    elif w.plan(REWARD[3]) == "adaptive":
        leave_open(w, TARGET, "the source's controller has no target; without one the coefficient is fixed", REWARD[3])
    else:
        lose_known(w, State.DEFAULT, "a fixed coefficient", REWARD[3], REWARD[4], REWARD[5])
    grouped = ESTIMATOR in w.out and w.out[ESTIMATOR].value in GROUPED
    mine = "after_norm" if grouped else "before_norm"
    other = "OpenRLHF takes the penalty off after rewards of a group are compared: coefficients are not interchangeable"
    settle_known(w, REWARD[6], w.plan(REWARD[6]) == mine, "as OpenRLHF does", other)


FILTERS, RANGE = "algo.dynamic_filtering_enable", "algo.dynamic_filtering_range"
F = A + "filters[0]."
FILTER = tuple(A + f"filters[].{name}" for name in ("kind", "metric", "action", "threshold", "max_in_flight_rollouts"))


def read_filter(r: ReadContext) -> None:
    """Groups whose mean score is outside of a range are dropped, and other prompts are drawn (samples_generator.py)."""
    on, band = r.native(FILTERS), r.native(RANGE)
    if on is False:
        r.inactive[RANGE] = f"{FILTERS} is off"
        return
    plain = isinstance(band, list) and [float(item) for item in band if isinstance(item, int | float)] == [0.0, 1.0]
    r.set(F + "kind", "zero_std" if plain else "mean_score", FILTERS, RANGE)
    r.set(F + "metric", "score", FILTERS)
    r.set(F + "action", "refill", FILTERS)
    how = "groups whose mean score is not between both numbers are dropped"
    r.narrowed[RANGE] = (
        f"{how}; elsewhere it is groups of equal scores, which is the same where a score is 0 or 1" if plain else how
    )


def write_filter(w: WriteContext) -> None:
    """Groups of equal scores, as mean scores of 0 or 1, where others are drawn in their place."""
    only = "OpenRLHF drops groups by their mean score and draws others; nothing else"
    prefix = first_filter(
        w,
        lambda path: w.same_framework or (w.plan(path + "kind") == "zero_std" and w.plan(path + "action") == "refill"),
        only,
    )
    if prefix is None:
        return
    note = "groups are dropped by a mean score of 0 or 1, which is the same where each score is 0 or 1"
    w.put(FILTERS, True, prefix + "kind", prefix + "action", state=State.EXACT if w.same_framework else State.NARROWED,
          note="" if w.same_framework else note, always=True)  # fmt: skip
    lose_known(w, State.NARROWED if not w.same_framework else State.DERIVED, "the score that a reward function returns counts",
               *(prefix + field for field in ("metric", "threshold", "max_in_flight_rollouts")))  # fmt: skip
