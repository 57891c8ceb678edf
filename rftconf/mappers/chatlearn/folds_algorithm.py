"""ChatLearn's one algorithm: group-relative advantages, a clipped ratio by token or by sequence, KL in the loss."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.chatlearn.conditions import MEGATRON
from rftconf.mappers.codecs import unbounded
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.shapes import Behaves, Where, carry, leave_open, lose_known, settle_known, take, together
from rftconf.mappers.statements import Inquiry, Lost, Refused
from rftconf.mappers.switches import Switch
from rftconf.plan.origin import Kind

A, OPTIM = "stage.algorithm.", "stage.optim.actor."
SEQUENCE = "models.policy_trainer.use_group_sequence_policy"
KL, ENTROPY = "models.policy_trainer.kl_coef", "models.policy_trainer.entropy_coef"
NO_GRADIENT = "the Megatron trainer back-propagates the policy loss alone: KL and entropy have no gradient there (H41)"
OPT = "models.policy_trainer.optimizer."
HERE = "ChatLearn trains with GRPO alone: group mean and deviation"


def _has_critic(w: WriteContext) -> bool:
    return w.plan(A + "critic.enabled") is True or w.plan(A + "advantage") == "gae"


def _other_estimator(w: WriteContext) -> str:
    name = w.plan(A + "advantage")
    why = f"{HERE}; the source's estimator ({formula(name)}) has another gradient"
    return "" if name in ("grpo", None) else why


ADVANTAGE = together(
    Refused(
        lambda w: _has_critic(w) and not w.same_framework,
        lambda w: f"the source trains a critic ({w.plan(A + 'advantage')}); {HERE}, without a critic",
        ("change the source to a group estimator (grpo) first",),
    ),
    Inquiry("models.policy_trainer", _other_estimator, ("accept GRPO", "or keep the source's framework"), leads=True),
    why="grpo_utils/advantage_compute.py: the only algorithm",
)

FAMILY = A + "policy_loss.family"
OF_SEQUENCES = Switch(SEQUENCE, FAMILY, "gspo", "ppo", open="the loss depends on a value the source does not tell")
LOSS = together(
    Refused(
        lambda w: w.plan(FAMILY) == "gspo" and w.trainer != "megatron",
        "the source's loss is gspo; ChatLearn's FSDP trainer has the token-level ratio only",
        ("a Megatron trainer in the source", "the ppo loss in the source, with clip ranges for tokens"),
    ),
    Refused(
        lambda w: w.plan(FAMILY) not in ("ppo", "gspo", None) and not isinstance(w.plan(FAMILY), Expr),
        lambda w: (
            f"the source's loss is {w.plan(FAMILY)}; ChatLearn has the clipped ratio of ppo, and on Megatron of gspo, only "
            "(algorithm/grpo_utils/loss_gallery.py)"
        ),
        ("the ppo loss in the source, with clip ranges for it",),
    ),
    Where(
        MEGATRON,
        OF_SEQUENCES,
        Behaves(FAMILY, "ppo", "the FSDP trainer's only loss", idle=(SEQUENCE,),
                idle_why="the FSDP trainer has the token-level ratio only"),
        written=OF_SEQUENCES,
    ),
    why="train_helper: gspo or grpo loss",
)  # fmt: skip
"""The sequence-level ratio is Megatron's alone."""

DUAL = A + "policy_loss.dual_clip_c"
BARE = When(lambda c: c.writes and unbounded(c) and not c.same_framework, "the source bounds the loss of bad answers")
DUAL_CLIP = together(
    Where(
        BARE,
        Lost(DUAL, State.NARROWED, "the loss is always capped by value (final_clip_ratio); the source bounds nothing (H32)", noted=True),
        Behaves(DUAL, None, "the loss is capped by value (H32)",
                "the loss is capped by value (final_clip_ratio), not by c*|A|: equal only where |A| is 1 (H32)", only_told=True),
    ),
    why="loss_gallery: the loss is capped by value, and never clipped twice; H32",
)  # fmt: skip


def read_kl(r: ReadContext) -> None:
    """KL acts where its coefficient is positive, in the FSDP trainer only (H41)."""
    prefix = A + "kl_loss."
    if r.trainer == "megatron":
        r.inactive.update(dict.fromkeys((KL, ENTROPY), NO_GRADIENT))
        r.set(prefix + "enabled", False, kind=Kind.DEFAULT, how="no gradient with Megatron (H41)")
        r.set(A + "entropy_coef", 0.0, kind=Kind.DEFAULT, how="no gradient with Megatron (H41)")
        return
    take(r, ENTROPY, A + "entropy_coef", 0.0)
    coef = r.native(KL, 0.0)
    known = not isinstance(coef, Expr)
    r.set(prefix + "enabled", coef > 0 if known else True, KL)
    r.set(prefix + "coef", coef if not known or coef > 0 else None, KL)
    estimator = "k3_clamped" if not known or coef > 0 else None
    r.set(prefix + "estimator", estimator, kind=Kind.DEFAULT, how="clamped k3")


def write_kl(w: WriteContext) -> None:
    """A coefficient of 0 switches KL off."""
    prefix = A + "kl_loss."
    enabled, coef, estimator = (w.plan(prefix + name) for name in ("enabled", "coef", "estimator"))
    entropy = w.plan(A + "entropy_coef")
    if w.trainer == "megatron":
        _lose_regularizers(w, enabled, entropy)
        return
    carry(w, ENTROPY, A + "entropy_coef", always=True)
    if isinstance(enabled, Expr):
        note = "a coefficient of 0 switches KL off, and whether it is used depends on a value nobody tells"
        leave_open(w, KL, note, *(prefix + name for name in ("enabled", "coef")))
        return
    on = enabled is not False and enabled is not None
    value = coef if on and coef is not None else 0.0
    w.put(KL, value, prefix + "enabled", *([prefix + "coef"] if on and coef is not None else []), always=True)
    same, clamped = not on or estimator == "k3_clamped", "always the clamped k3"
    settle_known(w, prefix + "estimator", same, clamped, f"{clamped}, instead of the source's {estimator}")


def _lose_regularizers(w: WriteContext, enabled: Any, entropy: Any) -> None:
    """KL and entropy, which Megatron's losses only report."""
    dead = State.DEAD_IN_TARGET
    settle_known(w, A + "entropy_coef", not entropy, "no entropy in the loss", NO_GRADIENT, dead)
    for name in ("enabled", "coef", "estimator"):
        settle_known(w, f"{A}kl_loss.{name}", not enabled, "no KL in the loss", NO_GRADIENT, dead)
    if enabled:
        w.decide(KL, NO_GRADIENT, "train without KL", "or use the FSDP trainer")


def read_optimizer(r: ReadContext) -> None:
    """Two keys for the betas; Megatron decays to min_lr within one update (H47)."""
    pair = (OPT + "adam_beta1", OPT + "adam_beta2")
    r.set(OPTIM + "betas", [r.native(key) for key in pair], *pair)
    r.set(OPTIM + "warmup_updates", 0, kind=Kind.DEFAULT, how="the first update has the full rate")
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
    """Write both betas, and min_lr equal to lr where Megatron would let the rate collapse (H47)."""
    betas, path = w.plan(OPTIM + "betas"), OPTIM + "betas"
    if isinstance(betas, list) and len(betas) == 2:
        w.put(OPT + "adam_beta1", betas[0], path)
        w.put(OPT + "adam_beta2", betas[1], path, always=True)
    else:
        lose_known(w, State.UNRESOLVED, "the betas are a value the source does not tell", path)
    schedule, floor, lr = (w.plan(OPTIM + name) for name in ("schedule", "min_lr", "lr"))
    falls = (
        w.trainer == "megatron" and schedule == "linear" and w.plan(OPTIM + "decay_updates") == 1 and floor is not None
    )
    if w.trainer == "megatron" and lr is not None:
        how = "" if falls else "equal to lr, or the rate collapses after the first update (H47)"
        w.put(OPT + "min_lr", floor if falls else lr, *([OPTIM + "min_lr"] if falls else []), always=True, how=how)
    _settle_schedule(w, schedule, falls=falls)


def _settle_schedule(w: WriteContext, schedule: Any, *, falls: bool) -> None:
    mine, warmup = "the rate is constant here", OPTIM + "warmup_updates"
    missed = "there is no warm-up: the first update has the full rate"
    settle_known(w, warmup, w.plan(warmup) == 0, "no warm-up", missed)
    if falls:
        w.lose(OPTIM + "decay_updates", State.DERIVED, "Megatron decays within one update here (H47)")
        w.lose(OPTIM + "schedule", State.DERIVED, "Megatron's linear decay")
        return
    settle_known(w, OPTIM + "schedule", schedule == "constant", mine, f"{mine}, instead of the source's {schedule}")


def floor_ratio(context: Any, path: str) -> Any:
    """The lowest rate as a share of the highest, as this framework has it."""
    del path
    floor, lr = context.plan(OPTIM + "min_lr"), context.plan(OPTIM + "lr")
    return arith("/", floor, lr) if floor is not None and lr not in (None, 0) else context.plan(OPTIM + "min_lr_ratio")
