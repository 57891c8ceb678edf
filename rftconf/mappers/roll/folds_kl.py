"""ROLL's KL terms, in the reward and in the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.ledger import State
from rftconf.mappers.roll.conditions import RL, follows_teacher
from rftconf.plan.origin import Kind
from rftconf.plan.symbols import Expr

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

A = "stage.algorithm."
KL_ON, KL_COEF, TARGET = "add_token_level_kl", "init_kl_coef", "target_kl"


def read_kl(r: Reading) -> None:
    """KL in the reward, after normalisation (H27), and KL in the loss, always k3 clamped at 10 (rows 4.2.5 to 4.2.9)."""
    if not RL.test(r):
        return
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
        r.set(A + "kl_reward.coef", r.native(KL_COEF), KL_COEF)
        r.set(A + "kl_reward.controller", "fixed" if target is None else "adaptive", TARGET)
        r.set(A + "kl_reward.target", target, TARGET)
    r.set(A + "kl_reward.order", "after_norm", kind=Kind.DEFAULT, how="added after rewards are normalised (H27)")
    r.set(A + "kl_loss.enabled", r.native("use_kl_loss", False), "use_kl_loss")
    if r.native("use_kl_loss", False) is True:
        r.set(A + "kl_loss.estimator", "k3_clamped", kind=Kind.DEFAULT, how="hard-coded (row 4.2.9)")


def write_kl(w: Writing) -> None:
    """Without KL in the reward the coefficient is 0, or ROLL loads a reference for nothing (H35)."""
    if not RL.test(w):
        return
    on, block = w.plan(A + "kl_reward.enabled"), A + "kl_reward."
    w.put(KL_ON, bool(on) if not isinstance(on, Expr) else on, block + "enabled")
    if on:
        w.put(KL_COEF, w.plan(block + "coef"), block + "coef", always=True)
        _write_controller(w, block)
    else:
        w.put(KL_COEF, 0.0, always=True, how="above 0 it would load a reference model (H35)")
    order = w.plan(block + "order")
    if order in ("after_norm", None) or not on:
        w.lose(block + "order", State.DEFAULT, "as ROLL does")
    else:
        w.lose(
            block + "order",
            State.NARROWED,
            "ROLL adds KL after rewards are normalised: coefficients are not interchangeable (H27)",
        )
    loss = w.plan(A + "kl_loss.enabled")
    if loss is not None:
        w.put("use_kl_loss", loss, A + "kl_loss.enabled")
    estimator = w.plan(A + "kl_loss.estimator")
    if estimator is not None:
        exact = estimator == "k3_clamped" or not loss
        w.lose(A + "kl_loss.estimator", State.DEFAULT if exact else State.NARROWED,
               "as ROLL does" if exact else f"ROLL's KL loss is k3 clamped at 10, not {estimator} (row 4.2.9)")  # fmt: skip


def _write_controller(w: Writing, block: str) -> None:
    if w.plan(block + "controller") == "adaptive":
        target = w.plan(block + "target")
        if target is None:
            note = "the source's controller has no target; without one ROLL's coefficient is fixed"
            w.put(TARGET, "???", block + "controller", state=State.UNRESOLVED, note=note, always=True)
            return
        w.put(TARGET, target, block + "controller", block + "target", always=True)
        return
    for field in ("controller", "target", "horizon"):
        if w.plan(block + field) is not None:
            w.lose(block + field, State.DEFAULT, "a fixed coefficient")
