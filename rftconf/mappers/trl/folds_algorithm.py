"""TRL's KL penalty, its advantages, and the correction of the engine's log-probabilities."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open, lose_known

A = "stage.algorithm."
BETA, WEIGHTED = "beta", "use_bias_correction_kl"
ON, COEF, ESTIMATOR = (f"{A}kl_loss.{name}" for name in ("enabled", "coef", "estimator"))


def read_kl(r: ReadContext) -> None:
    """A coefficient of 0 loads no reference; k3 is weighted with the ratio where use_bias_correction_kl is true."""
    beta, weighted = r.native(BETA), r.native(WEIGHTED)
    on = isinstance(beta, Expr) or beta != 0
    r.set(ON, on, BETA)
    r.set(COEF, beta if on else None, BETA)
    r.set(ESTIMATOR, ("corrected_k3" if weighted is True else "k3") if on else None, WEIGHTED)
    if not on:
        r.inactive[WEIGHTED] = "there is no KL penalty: beta is 0"


def write_kl(w: WriteContext) -> None:
    """A coefficient of 0 is no penalty; k3 is weighted with the ratio where use_bias_correction_kl is true."""
    enabled, value, word = w.plan(ON), w.plan(COEF), w.plan(ESTIMATOR)
    if isinstance(enabled, Expr) and not w.same_framework:
        note = "a coefficient of 0 switches KL off, and whether it is used depends on a value nobody tells"
        leave_open(w, BETA, note, ON, COEF)
        return
    if not enabled:
        if ON in w.values:
            w.put(BETA, 0.0, ON)
        lose_known(w, State.DEFAULT, "there is no penalty", COEF, ESTIMATOR)
        return
    w.put(BETA, 0.0 if value is None else value, ON, *(() if value is None else (COEF,)), always=True)
    if word is not None:
        near = word not in ("k3", "corrected_k3")
        note = f"TRL's penalty is k3, without a clamp, where the source has {formula(word)}" if near else ""
        w.put(WEIGHTED, word == "corrected_k3", ESTIMATOR, note=note)


SCALE, SEVERAL = "scale_rewards", "multi_objective_aggregation"
ADVANTAGE, DEVIATION = A + "advantage", A + "std_scope"


def read_advantage(r: ReadContext) -> None:
    """The group's mean is taken off; whether and by what deviation it is divided is a word."""
    scale, several = r.native(SCALE), r.native(SEVERAL)
    if several == "normalize_then_sum":
        r.set(ADVANTAGE, "gdpo", SEVERAL)
        r.set(DEVIATION, "batch", SEVERAL)
        r.inactive[SCALE] = f"{SEVERAL}=normalize_then_sum divides by deviations of its own"
        return
    if several not in ("sum_then_normalize", None):
        r.set(ADVANTAGE, several, SEVERAL)
    else:
        r.set(ADVANTAGE, scale if isinstance(scale, Expr) else "grpo_mean_only" if scale == "none" else "grpo", SCALE)
    r.set(DEVIATION, scale, SCALE)


def write_advantage(w: WriteContext) -> None:
    """The group's mean is taken off; by what deviation it is divided is a word. Another estimator is asked for."""
    name, scope = w.plan(ADVANTAGE), w.plan(DEVIATION)
    if name == "gdpo":
        w.put(SEVERAL, "normalize_then_sum", ADVANTAGE, DEVIATION, always=True)
        return
    if isinstance(name, Expr) or isinstance(scope, Expr):
        leave_open(w, SCALE, "the estimator depends on a value the source does not tell", ADVANTAGE, DEVIATION)
        return
    if name is None and scope is None:
        return
    group = name in ("grpo", "grpo_mean_only", None)
    undivided = name == "grpo_mean_only" or (not group and scope is None)
    word = "none" if undivided else scope if scope in ("group", "batch", "none") else "group"
    paths = [ADVANTAGE] * (name is not None) + [DEVIATION] * (scope is not None)
    exact = group and (scope in (None, word) or word == "none")
    other = f"TRL has the group's mean and deviation; the source has {formula(name)}"
    if scope is not None:
        other += f", by {formula(scope)}"
    state, note = (State.EXACT, "") if exact else (State.NARROWED, other)
    w.put(SCALE, word, *paths, state=state, note=note, always=True)


CORRECTION = CORRECTS, MODE, LEAST, MOST = tuple(
    f"vllm_importance_sampling_{name}" for name in ("correction", "mode", "clip_min", "clip_max")
)
WEIGHTS = A + "rollout_correction"
HAS_LEAST = "1.6.0"
"""The first release with a bound from below."""
NO_LEAST = "1e-09"
"""A lower bound that no weight is below: the frameworks cut its logarithm at -20."""


def read_correction(r: ReadContext) -> None:
    """Tokens of the engine are weighted with the ratio of both log-probabilities, cut or masked at a bound."""
    if r.native("use_vllm") is not True or r.native(CORRECTS) is not True:
        r.set(WEIGHTS, None, CORRECTS)
        why = "nothing is corrected: use_vllm or vllm_importance_sampling_correction is false"
        r.inactive.update(dict.fromkeys((MODE, LEAST, MOST), why))
        return
    mode, least, most = str(r.native(MODE)), r.native(LEAST), r.native(MOST)
    level, _, action = mode.partition("_")
    threshold = most
    if action == "mask" and isinstance(most, int | float) and not isinstance(least, Expr):
        # `lower_upper` is the plan's word for weights that are 0 outside of both
        threshold = f"{least if least is not None and least > 0 else NO_LEAST}_{most}"
        if least is None:
            r.set(WEIGHTS, {"rollout_is": level, "rollout_is_threshold": threshold}, CORRECTS, MODE, MOST)
        else:
            r.set(WEIGHTS, {"rollout_is": level, "rollout_is_threshold": threshold}, *CORRECTION)
        return
    if action == "mask":
        r.narrowed[MODE] = f"what is above {formula(most)} gets the weight 0 here; the weight is cut at it elsewhere"
    if least is not None:
        r.narrowed[LEAST] = "ratios below it are lifted as well; the plan has no such bound"
    r.set(WEIGHTS, {"rollout_is": level, "rollout_is_threshold": threshold}, CORRECTS, MODE, MOST)


def write_correction(w: WriteContext) -> None:
    """Weights that are cut at a bound, by token or by answer; TRL corrects unless told otherwise."""
    if w.plan("stage.placement.rollout.engine") == "hf":
        lose_known(w, State.DEAD_IN_TARGET, "the trainer's own model generates: there is nothing to correct", WEIGHTS)
        return
    has = w.plan(WEIGHTS)
    weights = has if isinstance(has, dict) else {}
    level, most = (weights.get(name) for name in ("rollout_is", "rollout_is_threshold"))
    least = None
    if isinstance(most, str) and (bounds := _bounds(most)) is not None:
        least, most = bounds
    if level not in ("token", "sequence") or not isinstance(most, int | float | Expr):
        note = "TRL cuts the weight of a token or of an answer at one bound, and has no such correction"
        lose_known(w, State.NO_COUNTERPART, note, WEIGHTS)
        if not w.same_framework:
            w.put(CORRECTS, False, always=True, how="nothing is weighed by the engine's log-probabilities")
        return
    more = [f"TRL has no {name}" for name in sorted(weights.keys() - {"rollout_is", "rollout_is_threshold"})]
    bounded = least is not None and least > float(NO_LEAST)
    if bounded and not w.since(HAS_LEAST):
        more.append(f"this release masks above {formula(most)} alone, and not below {least:g}")
    w.put(CORRECTS, True, WEIGHTS, note="; ".join(more))
    w.put(MODE, f"{level}_{'truncate' if least is None else 'mask'}", WEIGHTS, always=True)
    w.put(MOST, most, WEIGHTS, always=True)
    if bounded and w.since(HAS_LEAST):
        w.put(LEAST, least, WEIGHTS, always=True)


def _bounds(threshold: str) -> tuple[float, float] | None:
    """Both bounds of `lower_upper`, outside of which weights are 0; None for another text."""
    lower, _, upper = threshold.partition("_")
    try:
        return float(lower), float(upper)
    except ValueError:
        return None
