"""Losses, clip ranges, KL and the correction of engines, as TRL writes them, and what its GRPO cannot compute."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import WriteContext
from rftconf.mappers.shapes import leave_open, lose_known, settle
from rftconf.mappers.trl.conditions import CLIPPED
from rftconf.mappers.trl.folds_algorithm import (
    AVERAGES,
    BETA,
    CORRECTS,
    HIGH,
    LENGTH,
    LEVEL,
    LOSS,
    LOW,
    MODE,
    MOST,
    SCALE,
    SEVERAL,
    WEIGHTED,
    A,
)

FAMILY, AGG, TOKENS, SCOPE = (
    A + field for field in ("policy_loss.family", "loss_agg", "loss_agg_tokens", "loss_norm_scope")
)
OWN = ("cispo", "sapo", "vespo")
"""Losses with a name and an average of their own."""
BY_AVERAGE = {
    "seq-mean-token-mean": "grpo",
    "token-mean": "dapo",
    "seq-mean-sum-over-len": "dr_grpo",
    "seq-mean-token-sum": "luspo",
}
NEAREST = {
    "sum-over-len": ("dr_grpo", "dr_grpo divides by the number of answers as well: gradients are smaller by it"),
    "token-sum": ("dapo", "TRL divides by the tokens of the update, where the source takes their sum"),
    "seq-mean-token-sum-norm": ("dr_grpo", "dr_grpo divides by max_completion_length"),
}  # fmt: skip
UNREACHED = 1.0e9
"""A bound of the ratio above all that a ratio gets to."""


def write_loss(w: WriteContext) -> None:
    """The loss and its average make one name; a loss that TRL lacks is refused."""
    family, agg = w.plan(FAMILY), w.plan(AGG)
    if isinstance(family, Expr) or isinstance(agg, Expr):
        leave_open(w, LOSS, "the loss depends on a value the source does not tell", FAMILY, AGG)
        return
    if family not in (*CLIPPED, *OWN, None):
        raise RefusedError(
            f"the source's loss is {family}; TRL has the clipped ratio of ppo and gspo, and {', '.join(OWN)} (trl/trainer/grpo_trainer.py: _compute_loss)",
            choices=("the ppo loss in the source, with clip ranges for it",),
        )
    if family is None and agg is None:
        return
    name, note = (family, "") if family in OWN else _by_average(w, agg)
    paths = [path for path in (FAMILY, AGG) if w.plan(path) is not None]
    w.put(LOSS, name, *paths, state=State.NARROWED if note else State.EXACT, note=note, always=True)
    if family == "gspo":
        w.put(LEVEL, "sequence", FAMILY, always=True)
    if family in OWN and agg not in (AVERAGES[name], None):
        w.lose(AGG, State.NARROWED, f"{LOSS}={name} averages by {AVERAGES[name]}, and not by {agg}")
    _settle_scope(w, name)
    _settle_length(w, name)


def _by_average(w: WriteContext, agg: Any) -> tuple[str, str]:
    """The name of a clipped loss by its average, and what is lost by it."""
    if agg == "token-mean" and w.plan(SCOPE) == "micro_batch_mean":
        return "bnpo", ""
    if agg in BY_AVERAGE or agg is None:
        return BY_AVERAGE.get(agg, "dapo"), ""
    return NEAREST.get(agg, ("dapo", f"TRL averages over the tokens of an update, where the source has {agg}"))


def _settle_scope(w: WriteContext, name: str) -> None:
    scope = w.plan(SCOPE)
    if scope is not None:
        mine = "micro_batch_mean" if name == "bnpo" else "update"
        other = f"{LOSS}={name} weighs every part of an update alike, where the source has {formula(scope)}"
        settle(w, SCOPE, scope == mine, f"as {LOSS}={name} has it", other)


def _settle_length(w: WriteContext, name: str) -> None:
    tokens = w.plan(TOKENS)
    if tokens is not None:
        same = name == "dr_grpo" and tokens == w.plan("stage.length.response_max_tokens")
        other = f"{LOSS}={name} divides by {LENGTH if name == 'dr_grpo' else 'the tokens there are'}, not by {formula(tokens)}"
        settle(w, TOKENS, same, f"{LENGTH} is the divisor", other)


def write_clip(w: WriteContext) -> None:
    """Bounds below and above; cispo's upper one is the ratio itself. No bound is one that no ratio reaches."""
    family, (low_path, high_path) = w.plan(FAMILY), (A + f"policy_loss.clip_{end}" for end in ("low", "high"))
    low, high = w.plan(low_path), w.plan(high_path)
    if family == "cispo":
        if high is not None:
            w.put(
                HIGH,
                arith("+", high, 1),
                high_path,
                state=State.DERIVED,
                always=True,
                how="cispo caps the ratio at this number itself",
            )
        if low is not None:
            w.lose(low_path, State.NARROWED, "cispo caps the ratio from above alone")
        return
    if family not in CLIPPED:
        lose_known(w, State.DEAD_IN_TARGET, f"{LOSS}={formula(family)} bounds no ratio", low_path, high_path)
        return
    _write_bound(w, LOW, low_path, low, 1.0)
    _write_bound(w, HIGH, high_path, high, UNREACHED)


def _write_bound(w: WriteContext, key: str, path: str, bound: Any, none: float) -> None:
    if bound is not None:
        w.put(key, bound, path, always=True)
    elif path in w.values:
        w.put(key, none, always=True, how="the source has no such bound, and no ratio gets past this one")


def write_kl(w: WriteContext) -> None:
    """A coefficient of 0 is no penalty; k3 is weighted with the ratio where use_bias_correction_kl is true."""
    on, coef, estimator = (A + "kl_loss." + field for field in ("enabled", "coef", "estimator"))
    enabled, word = w.plan(on), w.plan(estimator)
    if isinstance(enabled, Expr) and not w.same_framework:
        leave_open(
            w,
            BETA,
            "a coefficient of 0 switches KL off, and whether it is used depends on a value nobody tells",
            on,
            coef,
        )
        return
    if not enabled:
        if on in w.values:
            w.put(BETA, 0.0, on)
        lose_known(w, State.DEFAULT, "there is no penalty", coef, estimator)
        return
    value = w.plan(coef)
    w.put(BETA, 0.0 if value is None else value, on, *(() if value is None else (coef,)), always=True)
    if word is not None:
        near = word not in ("k3", "corrected_k3")
        note = f"TRL's penalty is k3, without a clamp, where the source has {formula(word)}" if near else ""
        w.put(WEIGHTED, word == "corrected_k3", estimator, state=State.NARROWED if near else State.EXACT, note=note)


def write_advantage(w: WriteContext) -> None:
    """The group's mean is taken off; by what deviation it is divided is a word. Another estimator is asked for."""
    name, scope = w.plan(A + "advantage"), w.plan(A + "std_scope")
    if name == "gdpo":
        w.put(SEVERAL, "normalize_then_sum", A + "advantage", A + "std_scope", always=True)
        return
    if isinstance(name, Expr) or isinstance(scope, Expr):
        leave_open(
            w, SCALE, "the estimator depends on a value the source does not tell", A + "advantage", A + "std_scope"
        )
        return
    if name is None and scope is None:
        return
    group = name in ("grpo", "grpo_mean_only", None)
    undivided = name == "grpo_mean_only" or (not group and scope is None)
    word = "none" if undivided else scope if scope in ("group", "batch", "none") else "group"
    paths = [A + "advantage"] * (name is not None) + [A + "std_scope"] * (scope is not None)
    exact = group and (scope in (None, word) or word == "none")
    note = (
        "" if exact else f"TRL has the group's mean and deviation; the source has {formula(name)}, by {formula(scope)}"
    )
    w.put(SCALE, word, *paths, state=State.EXACT if exact else State.NARROWED, note=note, always=True)


def write_correction(w: WriteContext) -> None:
    """Weights that are cut at a bound, by token or by answer; TRL corrects unless told otherwise."""
    path = A + "rollout_correction"
    has = w.plan(path)
    if w.plan("stage.placement.rollout.engine") == "hf":
        lose_known(w, State.DEAD_IN_TARGET, "the trainer's own model generates: there is nothing to correct", path)
        return
    level, most = (
        (has.get(name) for name in ("rollout_is", "rollout_is_threshold")) if isinstance(has, dict) else (None, None)
    )
    if level not in ("token", "sequence") or not isinstance(most, int | float | Expr):
        note = "TRL cuts the weight of a token or of an answer at one bound, and has no such correction"
        if has is not None:
            w.lose(path, State.NO_COUNTERPART, note)
        if not w.same_framework:
            w.put(CORRECTS, False, always=True, how="the source weighs nothing by the engine's log-probabilities")
        return
    more = sorted(has.keys() - {"rollout_is", "rollout_is_threshold"})
    note = f"TRL has no {', '.join(more)}" if more else ""
    state = State.NARROWED if more else State.EXACT
    w.put(CORRECTS, True, path, state=state, note=note)
    w.put(MODE, f"{level}_truncate", path, always=True)
    w.put(MOST, most, path, always=True)
