"""ChatLearn's one algorithm: group-relative advantages, a clipped ratio by token or by sequence, KL in the loss."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.codecs import unbounded
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open, settle, take
from rftconf.plan.origin import Kind

A, OPTIM = "stage.algorithm.", "stage.optim.actor."
SEQUENCE = "models.policy_trainer.use_group_sequence_policy"
KL, ENTROPY = "models.policy_trainer.kl_coef", "models.policy_trainer.entropy_coef"
NO_GRADIENT = "the Megatron trainer back-propagates the policy loss alone: KL and entropy have no gradient there (H41)"
OPT = "models.policy_trainer.optimizer."
HERE = "ChatLearn trains with GRPO alone: group mean and deviation"


def refuse_advantage(w: WriteContext) -> None:
    """Another estimator is another algorithm; with a critic there is nothing near."""
    name, critic = w.plan(A + "advantage"), w.plan(A + "critic.enabled")
    if w.same_framework:
        return
    if critic is True or name == "gae":
        raise RefusedError(
            f"the source trains a critic ({name}); {HERE}, without a critic",
            choices=("change the source to a group estimator (grpo) first",),
        )
    if name not in ("grpo", None):
        why = f"{HERE}; the source's estimator ({formula(name)}) has another gradient"
        w.decide("models.policy_trainer", why, "accept GRPO", "or keep the source's framework")


def read_loss(r: ReadContext) -> None:
    """The sequence-level ratio is Megatron's alone."""
    if r.trainer != "megatron":
        r.inactive[SEQUENCE] = "the FSDP trainer has the token-level ratio only"
        r.set(A + "policy_loss.family", "ppo", kind=Kind.DEFAULT, how="the FSDP trainer's only loss")
        return
    sequence = r.native(SEQUENCE)
    r.set(A + "policy_loss.family", "gspo" if sequence is True else "ppo" if sequence is False else sequence, SEQUENCE)


def write_loss(w: WriteContext) -> None:
    """ppo or gspo; what else a source may have is refused, because no loss here is near it."""
    family, path = w.plan(A + "policy_loss.family"), A + "policy_loss.family"
    if isinstance(family, Expr):
        leave_open(w, SEQUENCE, "the loss depends on a value the source does not tell", path)
        return
    if family == "gspo" and w.trainer != "megatron":
        raise RefusedError(
            "the source's loss is gspo; ChatLearn's FSDP trainer has the token-level ratio only",
            choices=("a Megatron trainer in the source", "the ppo loss in the source, with clip ranges for tokens"),
        )
    if family not in ("ppo", "gspo", None):
        raise RefusedError(
            f"the source's loss is {family}; ChatLearn has the clipped ratio of ppo, and on Megatron of gspo, only (algorithm/grpo_utils/loss_gallery.py)",
            choices=("the ppo loss in the source, with clip ranges for it",),
        )
    if family is not None:
        w.put(SEQUENCE, family == "gspo", path, always=family == "gspo")


def read_dual_clip(r: ReadContext) -> None:
    """There is none."""
    r.set(A + "policy_loss.dual_clip_c", None, kind=Kind.DEFAULT, how="the loss is capped by value (H32)")


def write_dual_clip(w: WriteContext) -> None:
    """The cap by value stands in its place."""
    c, path = w.plan(A + "policy_loss.dual_clip_c"), A + "policy_loss.dual_clip_c"
    if unbounded(w) and not w.same_framework:
        note = "the loss is always capped by value (final_clip_ratio); the source bounds nothing (H32)"
        w.lose(path, State.NARROWED, note)
        w.note(note)
    elif c is not None:
        w.lose(
            path,
            State.NARROWED,
            "the loss is capped by value (final_clip_ratio), not by c*|A|: equal only where |A| is 1 (H32)",
        )


def read_kl(r: ReadContext) -> None:
    """KL acts where its coefficient is positive, in the FSDP trainer only (H41)."""
    at = A + "kl_loss."
    if r.trainer == "megatron":
        r.inactive.update(dict.fromkeys((KL, ENTROPY), NO_GRADIENT))
        r.set(at + "enabled", False, kind=Kind.DEFAULT, how="no gradient with Megatron (H41)")
        r.set(A + "entropy_coef", 0.0, kind=Kind.DEFAULT, how="no gradient with Megatron (H41)")
        return
    take(r, ENTROPY, A + "entropy_coef", 0.0)
    coef = r.native(KL, 0.0)
    known = not isinstance(coef, Expr)
    r.set(at + "enabled", coef > 0 if known else True, KL)
    r.set(at + "coef", coef if not known or coef > 0 else None, KL)
    r.set(
        at + "estimator",
        "k3_clamped" if not known or coef > 0 else None,
        kind=Kind.DEFAULT,
        how="clamped k3",
    )


def write_kl(w: WriteContext) -> None:
    """A coefficient of 0 switches KL off."""
    at = A + "kl_loss."
    enabled, coef, estimator = (w.plan(at + name) for name in ("enabled", "coef", "estimator"))
    entropy = w.plan(A + "entropy_coef")
    if w.trainer == "megatron":
        _lose_regularizers(w, enabled, entropy)
        return
    if entropy is not None:
        w.put(ENTROPY, entropy, A + "entropy_coef", always=True)
    if isinstance(enabled, Expr):
        note = "a coefficient of 0 switches KL off, and whether it is used depends on a value nobody tells"
        leave_open(w, KL, note, *(at + name for name in ("enabled", "coef")))
        return
    on = enabled is not False and enabled is not None
    value = coef if on and coef is not None else 0.0
    w.put(KL, value, at + "enabled", *([at + "coef"] if on and coef is not None else []), always=True)
    if on and estimator not in ("k3_clamped", None):
        w.lose(at + "estimator", State.NARROWED, f"always the clamped k3, instead of the source's {estimator}")
    elif estimator is not None:
        w.lose(at + "estimator", State.DEFAULT, "always the clamped k3")


def _lose_regularizers(w: WriteContext, enabled: Any, entropy: Any) -> None:
    """KL and entropy, which Megatron's losses only report."""
    if entropy is not None:
        settle(w, A + "entropy_coef", not entropy, "no entropy in the loss", NO_GRADIENT, state=State.DEAD_IN_TARGET)
    for name in ("enabled", "coef", "estimator"):
        path = A + "kl_loss." + name
        if w.plan(path) is not None:
            settle(w, path, not enabled, "no KL in the loss", NO_GRADIENT, state=State.DEAD_IN_TARGET)
    if enabled:
        w.decide(KL, NO_GRADIENT, "train without KL", "or use the FSDP trainer")


def read_optimizer(r: ReadContext) -> None:
    """Two keys for the betas; Megatron decays to min_lr within one update (H47)."""
    r.set(
        OPTIM + "betas",
        [r.native(OPT + "adam_beta1"), r.native(OPT + "adam_beta2")],
        OPT + "adam_beta1",
        OPT + "adam_beta2",
    )
    lr, floor = r.native(OPT + "lr"), r.native(OPT + "min_lr")
    if r.trainer != "megatron":
        r.inactive[OPT + "min_lr"] = "the FSDP trainer has no schedule: the rate is constant"
        r.set(OPTIM + "schedule", "constant", kind=Kind.DEFAULT, how="no scheduler")
        return
    constant = floor == lr
    r.set(OPTIM + "schedule", "constant" if constant else "linear", OPT + "min_lr")
    r.set(OPTIM + "min_lr", None if constant else floor, OPT + "min_lr")
    r.set(OPTIM + "decay_updates", None if constant else 1, kind=Kind.DEFAULT, how="train_iters is 1 (H47)")
    if not constant:
        r.note(f"{OPT}min_lr is not lr: the rate falls to it after the first update and stays there (H47)")


def write_optimizer(w: WriteContext) -> None:
    """Both betas, and min_lr equal to lr where Megatron would let the rate collapse (H47)."""
    betas, path = w.plan(OPTIM + "betas"), OPTIM + "betas"
    if isinstance(betas, list) and len(betas) == 2:
        w.put(OPT + "adam_beta1", betas[0], path)
        w.put(OPT + "adam_beta2", betas[1], path, always=True)
    elif betas is not None:
        w.lose(path, State.UNRESOLVED, "the betas are a value the source does not tell")
    schedule, floor = w.plan(OPTIM + "schedule"), w.plan(OPTIM + "min_lr")
    if w.trainer == "megatron":
        falls = schedule == "linear" and w.plan(OPTIM + "decay_updates") == 1 and floor is not None
        how = "" if falls else "equal to lr, or the rate collapses after the first update (H47)"
        lr = w.plan(OPTIM + "lr")
        if lr is not None:
            w.put(OPT + "min_lr", floor if falls else lr, *([OPTIM + "min_lr"] if falls else []), always=True, how=how)
        if falls:
            w.lose(OPTIM + "decay_updates", State.DERIVED, "Megatron decays within one update here (H47)")
            w.lose(OPTIM + "schedule", State.DERIVED, "Megatron's linear decay")
            return
    _write_constant(w, schedule)


def _write_constant(w: WriteContext, schedule: Any) -> None:
    if schedule not in ("constant", None):
        w.lose(
            OPTIM + "schedule",
            State.NARROWED,
            f"the rate is constant here, instead of the source's {schedule}",
        )
    elif schedule is not None:
        w.lose(OPTIM + "schedule", State.DEFAULT, "the rate is constant here")
    warmup = w.plan(OPTIM + "warmup_updates")
    if warmup is not None and warmup != 0:
        w.lose(
            OPTIM + "warmup_updates",
            State.NARROWED,
            "there is no warm-up: the first update has the full rate",
        )
    elif warmup is not None:
        w.lose(OPTIM + "warmup_updates", State.DEFAULT, "no warm-up")


def floor_ratio(context: Any, path: str) -> Any:
    """The lowest rate as a share of the highest, as this framework has it."""
    del path
    floor, lr = context.plan(OPTIM + "min_lr"), context.plan(OPTIM + "lr")
    return arith("/", floor, lr) if floor is not None and lr not in (None, 0) else context.plan(OPTIM + "min_lr_ratio")
