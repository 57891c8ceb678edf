"""Trinity's on-policy distillation: the first auxiliary model's divergence stands for the advantage."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import formula
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.native import Native
from rftconf.mappers.shapes import carry, leave_open, lose_known, settle
from rftconf.mappers.trinity.algorithms import algorithm, arguments, class_of
from rftconf.plan.origin import Kind

A = "stage.algorithm."
T = A + "distillation."
TYPE, FUNCTION, ARGS = "algorithm.algorithm_type", "algorithm.advantage_fn", "algorithm.advantage_fn_args"
COEF, MIXTURE = f"{ARGS}.kl_coef", f"{ARGS}.lambda_coef"
PLANS = tuple(T + field for field in ("objective", "estimator", "teacher_coef", "mixture", "as_advantage"))
OBJECTIVES = {"on_policy_distill": "reverse_kl", "jsd": "js_divergence"}
"""Advantage functions, and algorithm classes of the same names, to the divergence."""
WORKFLOW = "on_policy_distill_workflow"
"""Asks the first auxiliary model for the log-probabilities of each answer, and for nothing else."""
JSD_SINCE = "0.5.2"


def follows_teacher(source: Native) -> bool:
    """True where the advantage function is a teacher's divergence."""
    name = source.value(FUNCTION) or algorithm(source.value(TYPE, "ppo")).advantage
    return isinstance(name, str) and name in OBJECTIVES


TAUGHT = When(lambda c: c.plan("stage.kind") == "distill", "no teacher is followed")


def read_teacher(r: ReadContext) -> None:
    """The divergence, its weight, and the teacher's share of a mixture."""
    name = r.native(FUNCTION) or class_of(r).advantage
    args = arguments(r, "advantage_fn")
    objective = OBJECTIVES[name]
    r.set(T + "objective", objective, FUNCTION, TYPE)
    r.set(T + "teacher_coef", args.get("kl_coef", 1.0), COEF, ARGS)
    if objective == "js_divergence":
        r.set(T + "mixture", args.get("lambda_coef", 0.5), MIXTURE, ARGS)
    else:
        r.set(T + "estimator", "k1", kind=Kind.DEFAULT, how="teacher's minus student's log-probability of each token")
    r.set(T + "as_advantage", True, kind=Kind.DEFAULT, how="advantage_fn: both are advantage functions")


def write_teacher(w: WriteContext) -> None:
    """The class of the divergence; what Trinity has no class for is left open."""
    kind = _class_of(w)
    _write_class(w, kind)
    carry(w, COEF, T + "teacher_coef", always=True)
    if w.plan(T + "mixture") is not None and kind == "jsd":
        w.put(MIXTURE, w.plan(T + "mixture"), T + "mixture", always=True)
    _settle(w)
    if not w.same_framework:
        how = "asks the first auxiliary model, the teacher, for the log-probabilities of each answer"
        w.put("buffer.explorer_input.default_workflow_type", WORKFLOW, always=True, how=how)


def _write_class(w: WriteContext, kind: str | None) -> None:
    fields = [path for path in (A + "advantage", T + "objective", T + "estimator") if w.plan(path) is not None]
    what = " by ".join(formula(w.plan(path)) for path in fields if path.startswith(T))
    takes = f"Trinity-RFT {w.release} takes teacher's minus student's log-probability as the advantage"
    if kind is None:
        since = f"; jsd came with {JSD_SINCE}" if w.plan(T + "objective") == "js_divergence" else ""
        note = f"{takes}, not {what or 'a divergence that the source does not name'}{since}"
        leave_open(w, TYPE, note, *fields, state=State.NO_COUNTERPART)
        return
    other = kind == "on_policy_distill" and w.plan(T + "estimator") not in ("k1", None)
    loss = w.plan(T + "as_advantage") is False
    paths = (path for path in fields if not (other and path == T + "estimator"))
    w.put(TYPE, kind, *paths, state=State.DERIVED, always=True)
    if other:
        w.lose(T + "estimator", State.NARROWED, f"{takes}, not {what}")
    if (other or loss) and not w.same_framework:
        why = f"{takes}, not {what}" + (" as the loss" if loss else "")
        w.decide(TYPE, why, "distil by this estimator", "an advantage function of your own")


def _class_of(w: WriteContext) -> str | None:
    objective, estimator = w.plan(T + "objective"), w.plan(T + "estimator")
    if objective == "reverse_kl" and (estimator is None or isinstance(estimator, str)):
        return "on_policy_distill"
    return "jsd" if objective == "js_divergence" and (w.same_framework or w.since(JSD_SINCE)) else None


def _settle(w: WriteContext) -> None:
    if w.plan(T + "as_advantage") is True:
        w.lose(T + "as_advantage", State.DEFAULT, "as Trinity does")
    elif w.plan(T + "as_advantage") is False:
        w.lose(T + "as_advantage", State.NARROWED, "in the source the divergence is the loss; here it is an advantage")
    if w.plan(A + "whiten_advantage") is not None:
        white = w.plan(A + "whiten_advantage") is True
        settle(
            w, A + "whiten_advantage", not white, "a teacher's advantages are not whitened", state=State.NO_COUNTERPART
        )
    lose_known(
        w, State.DERIVED, "the algorithm class decides", *(A + field for field in ("std_scope", "critic.enabled"))
    )
