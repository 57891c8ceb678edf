"""ROLL's KL terms, in the reward and in the loss."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.roll.conditions import follows_teacher
from rftconf.mappers.shapes import carry, leave_open, lose_known, settle, settle_known, take
from rftconf.plan.origin import Kind

A = "stage.algorithm."
KL_ON, KL_COEF, TARGET = "add_token_level_kl", "init_kl_coef", "target_kl"


def read_kl(r: ReadContext) -> None:
    """KL in the reward, after normalisation (H27), and KL in the loss, always k3 clamped at 10."""
    if follows_teacher(r):  # ROLL switches both off (_apply_opd_config)
        for block in ("kl_reward", "kl_loss"):
            r.set(f"{A}{block}.enabled", False, kind=Kind.DEFAULT, how="the teacher's divergence is the advantage")
        return
    on, target = r.native(KL_ON, False), r.native(TARGET)
    r.set(A + "kl_reward.enabled", on, KL_ON)
    if on is False:
        r.inactive[TARGET] = "no effect while add_token_level_kl is false"
        if r.native(KL_COEF) in (0, 0.0):
            r.inactive[KL_COEF] = "no effect while add_token_level_kl is false"
        else:
            loads = "add_token_level_kl is false: the coefficient weighs nothing, it only loads a reference and recomputes log-probabilities (H35)"
            r.inactive[KL_COEF] = loads
    else:
        take(r, KL_COEF, A + "kl_reward.coef")
        r.set(A + "kl_reward.controller", "fixed" if target is None else "adaptive", TARGET)
        r.set(A + "kl_reward.target", target, TARGET)
    r.set(A + "kl_reward.order", "after_norm", kind=Kind.DEFAULT, how="added after rewards are normalised (H27)")
    take(r, "use_kl_loss", A + "kl_loss.enabled", False)
    if r.native("use_kl_loss", False) is True:
        r.set(A + "kl_loss.estimator", "k3_clamped", kind=Kind.DEFAULT, how="hard-coded")


def write_kl(w: WriteContext) -> None:
    """Without KL in the reward the coefficient is 0, or ROLL loads a reference for nothing (H35)."""
    on, block = w.plan(A + "kl_reward.enabled"), A + "kl_reward."
    w.put(KL_ON, bool(on) if not isinstance(on, Expr) else on, block + "enabled")
    if on:
        w.put(KL_COEF, w.plan(block + "coef"), block + "coef", always=True)
        _write_controller(w, block)
    else:
        w.put(KL_COEF, 0.0, always=True, how="above 0 it would load a reference model (H35)")
    other = "ROLL adds KL after rewards are normalised: coefficients are not interchangeable (H27)"
    settle(w, block + "order", w.plan(block + "order") in ("after_norm", None) or not on, "as ROLL does", other)
    carry(w, "use_kl_loss", A + "kl_loss.enabled")
    estimator = w.plan(A + "kl_loss.estimator")
    exact = estimator == "k3_clamped" or not w.plan(A + "kl_loss.enabled")
    other = f"ROLL's KL loss is k3 clamped at 10, not {estimator}"
    settle_known(w, A + "kl_loss.estimator", exact, "as ROLL does", other)


def _write_controller(w: WriteContext, block: str) -> None:
    if w.plan(block + "controller") == "adaptive":
        target = w.plan(block + "target")
        if target is not None:
            w.put(TARGET, target, block + "controller", block + "target", always=True)
        else:
            note = "the source's controller has no target; without one ROLL's coefficient is fixed"
            leave_open(w, TARGET, note, block + "controller")
    else:
        lose_known(w, State.DEFAULT, "a fixed coefficient", *(block + f for f in ("controller", "target", "horizon")))
