"""Trinity's algorithm class, advantage function and critic; omitted functions fall back to the class."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.families import ESTIMATORS, native_name, plan_name
from rftconf.mappers.filters import first_filter
from rftconf.mappers.shapes import known_below, leave_open, lose_known, settle, settle_known
from rftconf.mappers.trinity.algorithms import ADVANTAGES, ALGORITHMS, SINCE, TYPE_OF, arguments, class_of
from rftconf.mappers.trinity.unread_arguments import leave_unread
from rftconf.plan.origin import Kind

A = "stage.algorithm."
TYPE = "algorithm.algorithm_type"
GUARD, ADDED = A + "std_guard", "algorithm.advantage_fn_args.epsilon"
ADDED_DEFAULT = 1e-6
"""The default of GRPOGroupedAdvantage's epsilon and of StepWiseGRPOAdvantageFn's (algorithm/advantage_fn)."""
DIVIDING = ("grpo", "step_wise_grpo")
"""Estimators that divide by a deviation of rewards."""


def read_advantage(r: ReadContext) -> None:
    """advantage_fn, else the class's; its arguments carry gamma, lambda and the scope of the deviation."""
    leave_unread(r)
    if r.plan("stage.kind") == "distill":
        r.set(A + "advantage", "teacher", "algorithm.advantage_fn", TYPE)
        _read_critic(r)
        return
    name = r.native("algorithm.advantage_fn") or class_of(r).advantage
    args = arguments(r, "advantage_fn")
    plain = plan_name(name, ADVANTAGES, ESTIMATORS)
    if name in ("opmd", "opmd_verl") and args.get("opmd_baseline", "mean") != "mean":
        plain = "opmd"
    keys = ("algorithm.advantage_fn", TYPE)
    r.set(A + "advantage", plain, *keys)
    divides = plain in DIVIDING
    scope = args.get("std_cal_level", "group") if divides else "none" if plain == "grpo_mean_only" else None
    scope = args.get("std_cal_level", plain) if isinstance(plain, Expr) else scope
    r.set(A + "std_scope", scope, "algorithm.advantage_fn_args.std_cal_level", "algorithm.advantage_fn_args")
    added = args.get("epsilon", ADDED_DEFAULT)
    r.set(GUARD, added if divides else None, *([ADDED] if divides and added != ADDED_DEFAULT else []))
    discounts, trace = plain in ("gae", "reinforce_pp"), plain == "gae"
    # gigpo's gamma discounts the rewards of an episode's steps, not of an answer's tokens: the plan has no field for it
    by_token = () if plain == "gigpo" else ("algorithm.advantage_fn_args.gamma",)
    r.set(A + "gamma", args.get("gamma", 1.0) if discounts else None, *by_token)
    r.set(A + "lam", args.get("lam", 1.0) if trace else None, "algorithm.advantage_fn_args.lam")
    white = plain if isinstance(plain, Expr) else plain in ("gae", "reinforce_pp")
    r.set(A + "whiten_advantage", white, *keys, kind=Kind.DEFAULT, how="part of the estimator")
    _read_critic(r)
    if args.get("std_threshold") is not None:
        prefix = A + "filters[0]."
        for field, value in (("kind", "zero_std"), ("metric", "reward"), ("threshold", args["std_threshold"])):
            r.set(prefix + field, value, "algorithm.advantage_fn_args.std_threshold")
        action = "duplicate" if args.get("duplicate_experiences") else "drop"
        r.set(prefix + "action", action, "algorithm.advantage_fn_args.duplicate_experiences")


def _read_critic(r: ReadContext) -> None:
    """The class decides; of one that is not known nobody knows whether it has a critic."""
    r.set(A + "critic.enabled", class_of(r).critic, TYPE)


def write_advantage(w: WriteContext) -> None:
    """The class that comes closest, the function by name, and its arguments."""
    if w.plan("stage.kind") == "distill":
        return
    name, family = w.plan(A + "advantage"), w.plan(A + "policy_loss.family")
    if isinstance(name, Expr) or isinstance(family, Expr):
        key, path = (TYPE, A + "advantage")
        w.put(key, name if w.same_framework else "???", path, state=State.EXACT if w.same_framework else State.UNRESOLVED,
              note="" if w.same_framework else "the algorithm depends on a value the source does not tell", always=True)  # fmt: skip
        return
    kind = TYPE_OF.get((name, family)) or TYPE_OF.get((name, "ppo"))
    if kind is None:
        if not w.same_framework:
            _leave_to_the_algorithm(w, _nearest(w, name))
            return
        kind = str(native_name(name, {}))
    if not w.same_framework and not w.since(SINCE.get(kind, "0")):
        _leave_to_the_algorithm(
            w, f"Trinity-RFT has {kind} since {SINCE[kind]}; the nearest group estimator before is grpo"
        )
        return
    w.put(TYPE, kind, A + "advantage", state=State.DERIVED, always=True)
    function = native_name(name, ADVANTAGES)
    w.put("algorithm.advantage_fn", function, A + "advantage", always=True)
    _write_advantage_args(w, name, function)
    _write_critic(w, name)


def _nearest(w: WriteContext, name: Any) -> str:
    """Explain why an estimator has no algorithm here, and name those that come near."""
    own = "Trinity's algorithm of this name has a formula of its own"
    near = own if name in ALGORITHMS else "no Trinity advantage function does this"
    trains = "ppo is the one algorithm with a critic, which the source trains"
    nearest = trains if w.plan(A + "critic.enabled") is True else "the nearest group estimators are grpo, opmd, rloo"
    return "the source does not tell its estimator" if name is None else f"{name}: {near}; {nearest}"


def _leave_to_the_algorithm(w: WriteContext, note: str) -> None:
    """Leave the algorithm open, and with it what it decides."""
    leave_open(w, TYPE, note, A + "advantage", state=State.NO_COUNTERPART)
    decided = (A + field for field in ("std_scope", "std_guard", "gamma", "lam", "whiten_advantage", "critic.enabled"))
    lose_known(w, State.NO_COUNTERPART, "the algorithm that is named here decides", *decided)


def _write_critic(w: WriteContext, name: Any) -> None:
    critic, other = w.plan(A + "critic.enabled"), "only algorithm_type ppo has a critic, and it always has one"
    same = critic in (None, name == "gae")
    settle(w, A + "critic.enabled", same, "the algorithm class decides", other, State.NO_COUNTERPART, State.DERIVED)


def _write_advantage_args(w: WriteContext, name: Any, function: Any) -> None:
    scope = w.plan(A + "std_scope")
    if function == "grpo" and scope == "batch":
        w.put("algorithm.advantage_fn_args.std_cal_level", "batch", A + "std_scope", always=True)
    elif scope is not None and (name == "reinforce" or (scope in ("batch", "running") and not w.same_framework)):
        w.lose(A + "std_scope", State.NO_COUNTERPART, f"Trinity's {function or name} takes rewards as they are")
    elif scope is not None:
        w.lose(A + "std_scope", State.DERIVED, "part of the advantage function")
    _write_guard(w, name, function)
    for field in ("gamma", "lam"):
        value = w.plan(A + field)
        takes = name == "gae" or (field == "gamma" and name == "reinforce_pp")
        if value is not None and takes:
            w.put(f"algorithm.advantage_fn_args.{field}", value, A + field, always=True)
        elif value == 1:
            w.lose(A + field, State.DEFAULT, f"Trinity's {function or name} gives every token the whole reward")
        elif value is not None:
            w.lose(A + field, State.NO_COUNTERPART, f"Trinity's {function or name} does not discount")
    same = w.plan(A + "whiten_advantage") == (name in ("gae", "reinforce_pp", "reinforce_pp_baseline"))
    settle_known(w, A + "whiten_advantage", same, "part of the estimator", "whitening is part of the estimator here")
    _write_filters(w)


def _write_guard(w: WriteContext, name: Any, function: Any) -> None:
    guard = w.plan(GUARD)
    if guard is None:
        return
    if name not in DIVIDING:
        w.lose(GUARD, State.NO_COUNTERPART, f"Trinity's {function or name} divides by no deviation")
    elif guard == ADDED_DEFAULT:
        w.lose(GUARD, State.DEFAULT, "it is the default of the advantage function")
    else:
        w.put(ADDED, guard, GUARD, always=True)


def _write_filters(w: WriteContext) -> None:
    only = "Trinity's grpo drops groups of equal reward; other filters are data_processor operators"
    grpo = w.plan(A + "advantage") == "grpo"
    prefix = first_filter(w, lambda path: grpo and w.plan(path + "kind") == "zero_std", only)
    if prefix is None:
        return
    args, threshold, action = "algorithm.advantage_fn_args.", w.plan(prefix + "threshold"), w.plan(prefix + "action")
    same = action in ("drop", "duplicate")
    starves = "Trinity drops such groups and never refills: with sync_style fixed the run can starve (H40); it repeats kept groups instead"
    state, note = (State.EXACT, "") if same else (State.NARROWED, starves)
    paths = known_below(w, prefix)
    w.put(args + "std_threshold", 0.0 if threshold is None else threshold, *paths, state=state, note=note, always=True)
    if action != "drop":
        w.put(args + "duplicate_experiences", True, prefix + "action", state=state, always=True)
