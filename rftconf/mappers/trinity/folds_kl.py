"""Trinity's KL terms and entropy."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.codecs import words
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import Behaves, carry, leave_open
from rftconf.mappers.trinity.algorithms import (
    arguments,
    class_of,
)

A = "stage.algorithm."
TYPE = "algorithm.algorithm_type"


ESTIMATORS = words(
    {"k1": "k1", "abs": "abs", "k2": "k2", "low_var_kl": "k3_clamped", "k3": "k3", "corrected_k3": "corrected_k3"},
)


def read_kl_loss(r: ReadContext) -> None:
    """kl_loss_fn, else the class's: k2 with coefficient .001 unless `none` is written (H35)."""
    name = r.native("algorithm.kl_loss_fn") or class_of(r).kl_loss
    _read_kl(r, name, "kl_loss", "algorithm.kl_loss_fn")


def _read_kl(r: ReadContext, name: Any, block: str, key: str) -> None:
    enabled = name if isinstance(name, Expr) else name != "none"
    r.set(A + f"{block}.enabled", enabled, key, TYPE)
    if enabled is False:
        r.inactive[f"{key}_args"] = f"no effect while {key} is none"
        return
    r.set(A + f"{block}.estimator", ESTIMATORS.get(name, r, None), key, TYPE)
    coef = r.native(f"{key}_args.kl_coef", arguments(r, key.removeprefix("algorithm.")).get("kl_coef", 0.001))
    r.set(A + f"{block}.coef", coef, f"{key}_args.kl_coef", f"{key}_args")


def write_kl_loss(w: WriteContext) -> None:
    """Always written: leaving it out would switch KL on (H35)."""
    _write_kl(w, "kl_loss", "algorithm.kl_loss_fn")


def _write_kl(w: WriteContext, block: str, key: str) -> None:
    enabled, estimator = w.plan(A + f"{block}.enabled"), w.plan(A + f"{block}.estimator")
    if isinstance(enabled, Expr):
        leave_open(w, key, "whether KL is used depends on a value nobody tells", A + f"{block}.enabled")
        return
    if not enabled:
        w.put(key, "none", A + f"{block}.enabled", state=State.DERIVED, always=True)
        return
    put = ESTIMATORS.put(estimator, w, None)
    value = "???" if put.value is None else put.value
    w.put(key, value, A + f"{block}.enabled", A + f"{block}.estimator", state=put.state, note=put.note, always=True)
    carry(w, f"{key}_args.kl_coef", A + f"{block}.coef", always=True)


ORDER = Behaves(
    A + "kl_reward.order",
    "before_norm",
    "subtracted before advantages (H27)",
    "Trinity subtracts KL before advantages are computed (H27)",
    as_here="as Trinity does",
)


def read_kl_reward(r: ReadContext) -> None:
    """kl_penalty_fn, heard only by algorithms that compute advantages in the trainer (H37)."""
    key = "algorithm.kl_penalty_fn"
    name = r.native(key) or "none"
    hears = class_of(r).in_trainer
    if name != "none" and hears is False:
        kind = r.native(TYPE, "ppo")
        r.inactive[key] = f"{kind} computes advantages in the explorer and never looks at it (H37)"
        r.inactive[f"{key}_args.kl_coef"] = r.inactive[key]
        name = "none"
    _read_kl(r, name, "kl_reward", key)
    if name != "none" and hears is not True:
        r.set(A + "kl_reward.enabled", hears, TYPE, key)
    if name != "none":
        adaptive = r.native(f"{key}_args.adaptive", False)
        r.set(A + "kl_reward.controller", "adaptive" if adaptive is True else "fixed", f"{key}_args.adaptive")
        if adaptive is True:
            r.note("kl_penalty_fn_args.adaptive: true passes validation and then stops the run with a TypeError (H67)")
    ORDER.read(r)


def write_kl_reward(w: WriteContext) -> None:
    """Only for estimators that the trainer computes; a fixed coefficient (H37, H67)."""
    enabled = w.plan(A + "kl_reward.enabled")
    hears = w.plan(A + "advantage") in ("gae", "reinforce_pp", "rloo")
    if enabled is True and not hears:
        note = "only ppo, reinforceplusplus and rloo hear kl_penalty_fn in Trinity; use KL in the loss, or another estimator (H37)"
        for field in ("enabled", "estimator", "coef", "controller", "target", "horizon"):
            if w.plan(A + f"kl_reward.{field}") is not None:
                w.lose(A + f"kl_reward.{field}", State.NO_COUNTERPART, note)
        w.put("algorithm.kl_penalty_fn", "none", always=True, how="KL in the reward has no effect here (H37)")
    else:
        _write_kl(w, "kl_reward", "algorithm.kl_penalty_fn")
        if w.plan(A + "kl_reward.controller") == "adaptive":
            w.lose(
                A + "kl_reward.controller",
                State.NARROWED,
                "Trinity's adaptive controller crashes at the first batch; fixed at the initial coefficient (H67)",
            )
            for field in ("target", "horizon"):
                w.lose(
                    A + f"kl_reward.{field}",
                    State.NARROWED,
                    "belongs to the adaptive controller, which crashes in Trinity (H67)",
                )
        elif w.plan(A + "kl_reward.controller") is not None:
            w.lose(A + "kl_reward.controller", State.DEFAULT, "fixed")
    ORDER.write(w)


def read_entropy(r: ReadContext) -> None:
    """entropy_loss_fn `none` is a coefficient of 0."""
    name = r.native("algorithm.entropy_loss_fn") or class_of(r).entropy
    coef = r.native(
        "algorithm.entropy_loss_fn_args.entropy_coef", arguments(r, "entropy_loss_fn").get("entropy_coef", 0.0)
    )
    if name == "none":
        r.inactive["algorithm.entropy_loss_fn_args.entropy_coef"] = "no effect while entropy_loss_fn is none"
        coef = 0.0
    if isinstance(name, Expr) and coef not in (0, None):
        coef = name  # none where the function that nobody knows is none
    r.set(A + "entropy_coef", coef, "algorithm.entropy_loss_fn_args.entropy_coef", "algorithm.entropy_loss_fn")


def write_entropy(w: WriteContext) -> None:
    """The default function with the plan's coefficient."""
    if w.plan(A + "entropy_coef") is not None:
        w.put(
            "algorithm.entropy_loss_fn_args.entropy_coef", w.plan(A + "entropy_coef"), A + "entropy_coef", always=True
        )
        if w.plan(A + "advantage") not in ("gae", "grpo", "rloo", "reinforce_pp", "grpo_mean_only"):
            w.put("algorithm.entropy_loss_fn", "default", A + "entropy_coef", always=True)
