"""ROLL's on-policy distillation: a teacher's divergence stands for the advantage (start_onpolicy_distill_pipeline)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rftconf.base.ledger import State
from rftconf.base.symbols import formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.roll.conditions import RL, follows_teacher
from rftconf.mappers.roll.rows_training import KL_ESTIMATORS
from rftconf.mappers.shapes import carry, leave_open, lose_known, settle_known
from rftconf.plan.origin import Kind
from rftconf.text.document import Leaf

A = "stage.algorithm."
T = A + "distillation."
PURE, COEF, ESTIMATOR = "is_pure_opd", "teacher.opd_kl_coef", "kl_penalty"
PLANS = tuple(T + field for field in ("objective", "estimator", "teacher_coef", "as_advantage", "mixture"))
OVERRULED = {
    "adv_estimator": "the teacher's divergence is the advantage",
    "gamma": "ROLL sets 0: every token has its own advantage",
    "critic_warmup": "ROLL sets 0: there is no critic",
    "use_kl_loss": "ROLL switches it off: the teacher's divergence is the advantage",
    "add_token_level_kl": "ROLL switches it off: the teacher's divergence is the advantage",
    "init_kl_coef": "no KL against a reference: the teacher stands in its place",
    "kl_loss_coef": "no KL against a reference: the teacher stands in its place",
    "target_kl": "no KL against a reference: the teacher stands in its place",
    "norm_mean_type": "rewards are measured, not learned from",
    "norm_std_type": "rewards are measured, not learned from",
    "reference": "the teacher stands in the reference's place",
    "critic": "there is no critic",
}
"""What `_apply_opd_config` writes over, or nothing reads in such a run."""
SECTIONS = {"actor_train": "student_train", "actor_infer": "student_infer"}
"""Roles as rows name them, to what a run that follows its teacher calls them (base_config: _handle_opd_mapping)."""
UNDER = "overruled"
"""Stands before roles that others stand over: nothing reads them."""
UNREAD = {f"{UNDER}.{role}": role for role in SECTIONS}


def of_students(live: dict[str, Leaf]) -> dict[str, Leaf]:
    """Lay a student's roles over the policy's, under its names, where ROLL follows a teacher (_handle_opd_mapping)."""
    pure = live.get(PURE)
    if "student_train.device_mapping" not in live and (pure is None or pure.value is not True):
        return live
    leaves = {}
    named = _only_teacher(live)
    for key, leaf in live.items():
        own = re.sub(r"^student_(?=(?:train|infer)\.)", "actor_", key)
        own = own.replace(named, "teacher.", 1) if named and own.startswith(named) else own
        leaves[own if own != key else re.sub(r"^(?=actor_(?:train|infer)\.)", f"{UNDER}.", key)] = leaf
    return leaves


def _only_teacher(live: dict[str, Leaf]) -> str:
    """`teacher.NAME.`, where one teacher is given under a name; ROLL itself calls one without a name `default`."""
    names = _names(live)
    return f"teacher.{names[0]}." if len(names) == 1 else ""


def several_teachers(keys: Iterable[str]) -> list[str]:
    """The names of teachers, each of which scores the rows of its tags; none where there is one."""
    names = _names(keys)
    return names if len(names) > 1 else []


def _names(keys: Iterable[str]) -> list[str]:
    """Return the names of teachers; empty where the section is itself one."""
    parts = [key.split(".") for key in keys if key.startswith("teacher.")]
    worker = any(len(part) < 3 or part[1].endswith("_args") for part in parts)
    return [] if worker else sorted({part[1] for part in parts})


def respelt(w: WriteContext) -> dict[str, str]:
    """The roles of the policy are a student's in a run that follows a teacher."""
    if not (RL.test(w) and follows_teacher(w)):
        return {}
    own = w.facts.source
    names = _names(leaf.key for _, leaf in own.leaves()) if own else []
    named = names[0] if len(names) == 1 else ""
    return {**SECTIONS, **UNREAD, **({"teacher": f"teacher.{named}"} if named else {})}


def read_followed(r: ReadContext) -> None:
    """The divergence, how it is estimated, and its weight; what ROLL writes over does nothing."""
    if not (RL.test(r) and follows_teacher(r)):
        own = (*SECTIONS.values(), "pure_opd_pipeline_type")
        why = "only a run that follows a teacher alone reads it: is_pure_opd, or the start script of such runs"
        r.inactive.update({key: why for key, _ in r.source.leaves() if key.startswith(own)})
        return
    r.inactive.update({key: f"{why} (_apply_opd_config)" for key, why in OVERRULED.items()})
    beside = [key for key in r.source.cells if key.startswith(tuple(UNREAD))]
    r.inactive.update(dict.fromkeys(beside, "a student's roles stand in its place (_handle_opd_mapping)"))
    r.set(T + "objective", "reverse_kl", PURE, ESTIMATOR)
    r.set(T + "estimator", KL_ESTIMATORS.get(r.native(ESTIMATOR), r, None), ESTIMATOR)
    coef = r.native(COEF)
    r.set(T + "teacher_coef", 1.0 if coef is None else coef, COEF)
    r.set(T + "as_advantage", True, kind=Kind.DEFAULT, how="functionals: advantages = -coefficient x KL")


def write_followed(w: WriteContext) -> None:
    """The switch that the start script sets too, and the estimator under ROLL's name."""
    if not (RL.test(w) and follows_teacher(w)):
        return
    if not w.same_framework:
        w.put(PURE, True, always=True, how="rewards are measured, and the teacher is what is learned from")
    objective, estimator = w.plan(T + "objective"), w.plan(T + "estimator")
    paths = [path for path in (T + "objective", T + "estimator") if w.plan(path) is not None]
    native = KL_ESTIMATORS.put(estimator, w, None).value if estimator is not None else None
    if objective == "reverse_kl" and native is not None:
        w.put(ESTIMATOR, native, *paths)
    else:
        what = " by ".join(formula(w.plan(path)) for path in paths) or "a divergence that the source does not name"
        note = f"ROLL takes the reverse KL divergence of the tokens drawn (kl, abs, mse), not {what}"
        leave_open(w, ESTIMATOR, note, *paths, state=State.NO_COUNTERPART)
    lose_known(w, State.NO_COUNTERPART, "ROLL's divergence is taken against the teacher, not a mixture", T + "mixture")
    carry(w, COEF, T + "teacher_coef", always=True)
    _settle_advantage(w)


def _settle_advantage(w: WriteContext) -> None:
    why = "in the source the divergence is the loss; in ROLL it is an advantage, weighed by the ratio of policies"
    settle_known(w, T + "as_advantage", w.plan(T + "as_advantage") is not False, "as ROLL does", why)
