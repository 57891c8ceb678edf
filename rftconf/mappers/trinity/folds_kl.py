"""Trinity's KL terms and entropy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import MISSING, Expr
from rftconf.mappers.codecs import words
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import Behaves, carry, leave_open, lose_known, settle_known
from rftconf.mappers.trinity.algorithms import arguments, class_of

A = "stage.algorithm."
TYPE = "algorithm.algorithm_type"


ESTIMATORS = words(
    {"k1": "k1", "abs": "abs", "k2": "k2", "low_var_kl": "k3_clamped", "k3": "k3", "corrected_k3": "corrected_k3"}
)


@record
class KlTerm:
    """A KL term: the function that estimates it, `none` for no term, and the coefficient in its arguments."""

    block: str
    key: str
    function: Callable[[ReadContext], Any]
    """The function's name."""

    @property
    def natives(self) -> tuple[str, ...]:
        """The function and its arguments."""
        return (self.key, f"{self.key}_args", f"{self.key}_args.kl_coef")

    @property
    def plans(self) -> tuple[str, ...]:
        """Read whether there is a term, and which one."""
        return tuple(f"{A}{self.block}.{field}" for field in ("enabled", "estimator", "coef"))

    def read(self, r: ReadContext) -> None:
        """Read the term; without one its arguments do nothing."""
        name, (on, estimator, coef), (key, args, weight) = self.function(r), self.plans, self.natives
        enabled = name if isinstance(name, Expr) else name != "none"
        r.set(on, enabled, key, TYPE)
        if enabled is False:
            r.inactive[args] = f"no effect while {key} is none"
            return
        r.set(estimator, ESTIMATORS.get(name, r, None), key, TYPE)
        own = arguments(r, key.removeprefix("algorithm.")).get("kl_coef", 0.001)
        r.set(coef, r.native(weight, own), weight, args)

    def write(self, w: WriteContext) -> None:
        """Write the function always: leaving it out could switch KL on (H35)."""
        (on, estimator, coef), (key, _, weight) = self.plans, self.natives
        enabled = w.plan(on)
        if isinstance(enabled, Expr):
            leave_open(w, key, "whether KL is used depends on a value nobody tells", on)
        elif not enabled:
            w.put(key, "none", on, state=State.DERIVED, always=True)
        else:
            put = ESTIMATORS.put(w.plan(estimator), w, None)
            value = MISSING if put.value is None else put.value
            w.put(key, value, on, estimator, state=put.state, note=put.note, always=True)
            carry(w, weight, coef, always=True)


KL_LOSS = KlTerm("kl_loss", "algorithm.kl_loss_fn", lambda r: r.native("algorithm.kl_loss_fn") or class_of(r).kl_loss)
"""The class gives these where no function is named: k2 with coefficient .001 unless `none` is written (H35)."""


ORDER = Behaves(
    A + "kl_reward.order",
    "before_norm",
    "subtracted before advantages (H27)",
    "Trinity subtracts KL before advantages are computed (H27)",
    as_here="as Trinity does",
)


def _penalty(r: ReadContext) -> Any:
    """The function of the penalty, where the algorithm hears it."""
    return "none" if class_of(r).in_trainer is False else r.native("algorithm.kl_penalty_fn") or "none"


KL_REWARD = KlTerm("kl_reward", "algorithm.kl_penalty_fn", _penalty)


def read_kl_reward(r: ReadContext) -> None:
    """kl_penalty_fn, heard only by algorithms that compute advantages in the trainer (H37)."""
    key, hears = KL_REWARD.key, class_of(r).in_trainer
    name = _penalty(r)
    if name == "none" and r.native(key) not in (None, "", "none"):
        kind = r.native(TYPE, "ppo")
        r.inactive[key] = f"{kind} computes advantages in the explorer and never looks at it (H37)"
        r.inactive[f"{key}_args.kl_coef"] = r.inactive[key]
    KL_REWARD.read(r)
    if name != "none" and hears is not True:
        r.set(A + "kl_reward.enabled", hears, TYPE, key)
    if name != "none":
        adaptive = r.native(f"{key}_args.adaptive", False)
        r.set(A + "kl_reward.controller", "adaptive" if adaptive is True else "fixed", f"{key}_args.adaptive")
        if adaptive is True:
            r.note("kl_penalty_fn_args.adaptive: true passes validation and then stops the run with a TypeError (H67)")
    ORDER.read(r)


def write_kl_reward(w: WriteContext) -> None:
    """Write the KL penalty only for estimators that the trainer computes, with a fixed coefficient (H37, H67)."""
    enabled = w.plan(A + "kl_reward.enabled")
    hears = w.plan(A + "advantage") in ("gae", "reinforce_pp", "rloo")
    if enabled is True and not hears:
        note = "only ppo, reinforceplusplus and rloo hear kl_penalty_fn in Trinity; use KL in the loss, or another estimator (H37)"
        fields = ("enabled", "estimator", "coef", "controller", "target", "horizon")
        lose_known(w, State.NO_COUNTERPART, note, *(f"{A}kl_reward.{field}" for field in fields))
        w.put("algorithm.kl_penalty_fn", "none", always=True, how="KL in the reward has no effect here (H37)")
    else:
        KL_REWARD.write(w)
        adaptive = w.plan(A + "kl_reward.controller") == "adaptive"
        crashes = "Trinity's adaptive controller crashes at the first batch; fixed at the initial coefficient (H67)"
        settle_known(w, A + "kl_reward.controller", not adaptive, "fixed", crashes)
        for field in ("target", "horizon") if adaptive else ():
            why = "belongs to the adaptive controller, which crashes in Trinity (H67)"
            w.lose(A + f"kl_reward.{field}", State.NARROWED, why)
    ORDER.write(w)


def read_entropy(r: ReadContext) -> None:
    """entropy_loss_fn `none` is a coefficient of 0."""
    name = r.native("algorithm.entropy_loss_fn") or class_of(r).entropy
    weight = "algorithm.entropy_loss_fn_args.entropy_coef"
    coef = r.native(weight, arguments(r, "entropy_loss_fn").get("entropy_coef", 0.0))
    if name == "none":
        r.inactive[weight] = "no effect while entropy_loss_fn is none"
        coef = 0.0
    if isinstance(name, Expr) and coef not in (0, None):
        coef = name  # none where the function that nobody knows is none
    r.set(A + "entropy_coef", coef, weight, "algorithm.entropy_loss_fn")


def write_entropy(w: WriteContext) -> None:
    """The default function with the plan's coefficient."""
    if w.plan(A + "entropy_coef") is not None:
        carry(w, "algorithm.entropy_loss_fn_args.entropy_coef", A + "entropy_coef", always=True)
        if w.plan(A + "advantage") not in ("gae", "grpo", "rloo", "reinforce_pp", "grpo_mean_only"):
            w.put("algorithm.entropy_loss_fn", "default", A + "entropy_coef", always=True)
