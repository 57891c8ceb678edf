"""ROLL's advantage: the estimator, and how rewards are normalised and discounted."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.roll import trajectories
from rftconf.mappers.roll.conditions import RL, follows_teacher
from rftconf.mappers.shapes import Pair, Where, leave_open, lose_known, settle_known, together
from rftconf.mappers.statements import Noted
from rftconf.plan.origin import Kind

A = "stage.algorithm."
EST, MEAN, STD, WHITENS = "adv_estimator", "norm_mean_type", "norm_std_type", "whiten_advantages"
NORMED = {
    ("group", "group"): ("grpo", "group"),
    ("group", None): ("grpo_mean_only", "none"),
    ("group", "batch"): ("grpo", "batch"),
    (None, None): ("reinforce", None),
    ("batch", "batch"): ("reinforce_pp", "batch"),
}
"""What the reinforce estimator is called, by the reward's normalisation."""
NORMS = {pair: norms for norms, pair in NORMED.items()}


TOKENS_WHITENED = "reinforce with whiten_advantages: returns that are whitened over all tokens"
KNOWN = ("gae", "reinforce", "grpo", "gigpo", "step_reinforce", "agentic_reinforce")
"""What ROLL computes."""


def read_advantage(r: ReadContext) -> None:
    """The estimator and the normalisation of rewards make one advantage."""
    if follows_teacher(r):
        r.set(A + "advantage", "teacher", "is_pure_opd", how="the teacher's divergence")
        r.set(A + "critic.enabled", False, kind=Kind.DEFAULT, how="there is no critic beside a teacher")
        return
    name = r.native(EST)
    pair, keys = _read_trajectories(r, name) if r.trainer == "agentic" else _read_answers(r, name)
    if pair == ("reinforce_pp", "batch"):
        r.note(
            "rewards are normalised over the batch; elsewhere reinforce++ whitens advantages token by token (section 4.1)"
        )
    if pair[1] == "group" and r.trainer != "agentic" and r.native("num_return_sequences_in_group") == 1:
        r.note("groups of one have no standard deviation: ROLL's advantages become NaN (H39)")
    if isinstance(name, str) and name not in KNOWN:
        r.narrowed[EST] = f"ROLL has no estimator {name}: the run stops when it starts, or at its first update"
        r.note(f"{EST}={name}: {r.narrowed[EST]}")
    r.set(A + "advantage", pair[0], EST, *keys)
    r.set(A + "std_scope", pair[1], *keys[-1:], EST)
    r.set(A + "critic.enabled", name if isinstance(name, Expr) else name == "gae", EST)


def _read_answers(r: ReadContext, name: Any) -> tuple[tuple[Any, Any], tuple[str, ...]]:
    """Estimator and scope of the pipelines of prompts and answers, with the keys that make them (reward_postprocess)."""
    norms = (r.native(MEAN), r.native(STD))
    if name == "grpo":
        r.inactive.update(dict.fromkeys((MEAN, STD), "adv_estimator grpo overwrites it with group"))
        return ("grpo", "group"), (MEAN, STD)
    if name == "reinforce" and norms == (None, None) and r.native(WHITENS) is True:
        # functionals.compute_reinforce_return, then masked_whiten over all tokens: reinforce++ as elsewhere
        return ("reinforce_pp", None), (MEAN, STD, WHITENS)
    if name == "reinforce" and norms in NORMED:
        return NORMED[norms], (MEAN, STD)
    if name == "reinforce":  # rewards that are normalised otherwise make an estimator that nobody else has
        return (trajectories.formula(norms), None), (MEAN, STD)
    # before gae, rewards that are normalised are no part of the estimator: reasons.py says what becomes of them
    return (name, name if isinstance(name, Expr) else None), (MEAN, STD) if norms == (None, None) else ()


def _read_trajectories(r: ReadContext, name: Any) -> tuple[tuple[Any, Any], tuple[str, ...]]:
    """The same of the agentic pipeline, where `grpo` is the name of no formula: reward_normalization makes it."""
    r.inactive.update(dict.fromkeys((MEAN, STD), "the agentic pipeline normalises rewards by reward_normalization"))
    if name not in trajectories.PLAIN:
        return (name, name if isinstance(name, Expr) else None), ()
    scopes = trajectories.norms(r)
    pair = NORMED.get(scopes)
    if pair is None:
        unknown = isinstance(scopes[0], Expr)
        return (trajectories.formula(scopes), scopes[0] if unknown else None), trajectories.KEYS if unknown else ()
    steps = trajectories.say_steps(r) if pair[1] is not None else ""
    if steps:
        r.narrowed[trajectories.GROUPING] = steps
    return pair, trajectories.KEYS


def write_advantage(w: WriteContext) -> None:
    """Write the advantage by its name, or as reinforce with the reward's normalisation."""
    name, scope = w.plan(A + "advantage"), w.plan(A + "std_scope")
    if follows_teacher(w):
        for path in [p for p in (A + "advantage", A + "std_scope") if w.plan(p) is not None]:
            w.lose(path, State.DERIVED, "is_pure_opd: the teacher's divergence is the advantage")
    else:
        _write_estimator(w, name, scope)
    critic, decides = A + "critic.enabled", "the estimator decides: gae has a critic"
    if EST in w.out and w.out[EST].value == "???":
        lose_known(w, State.UNRESOLVED, decides, critic)
    else:
        other = "ROLL has a critic with gae and only then"
        settle_known(w, critic, w.plan(critic) == (name == "gae"), decides, other, alike=State.DERIVED)
    single = w.plan("stage.batch.responses_per_prompt") == 1 and w.trainer != "agentic"
    if name in ("grpo", "grpo_mean_only") and single:
        why = "groups of one have no standard deviation: ROLL's advantages become NaN (H39)"
        w.decide(EST, why, "more than one response for each prompt", "adv_estimator reinforce without normalisation")


def _write_estimator(w: WriteContext, name: Any, scope: Any) -> None:
    paths = [A + "advantage"] + ([A + "std_scope"] if scope is not None else [])
    if w.trainer == "agentic":
        scopes = NORMS.get((name, scope))
        w.put(EST, "grpo" if name == "grpo" else trajectories.estimator(name), *paths, always=True)
        if scopes is not None:
            trajectories.write_norms(w, scopes, *paths)
    elif name == "gae":
        w.put(EST, "gae", *paths, always=True)
    elif name == "grpo" and scope in ("group", None):
        w.put(EST, "grpo", *paths, always=True)
    elif name == "reinforce_pp" and scope is None and w.plan(A + "whiten_advantage") is True:
        w.put(EST, "reinforce", A + "advantage", state=State.DERIVED, note=TOKENS_WHITENED, always=True)
    elif (name, scope) in NORMS or (name in ("reinforce", "reinforce_pp", "grpo_mean_only")):
        plain = {"reinforce": (None, None), "reinforce_pp": ("batch", "batch"), "grpo_mean_only": ("group", None)}
        mean, std = NORMS.get((name, scope)) or plain[name]
        whitens = "ROLL normalises rewards over the batch where the source whitens token advantages (section 4.1)"
        state, note = (State.NARROWED, whitens) if name == "reinforce_pp" else (State.DERIVED, "")
        w.put(EST, "reinforce", A + "advantage", state=state, note=note, always=True)
        w.put(MEAN, mean, A + "advantage", state=state, note=note)
        w.put(STD, std, *paths, state=state, note=note)
    elif w.same_framework:
        w.put(EST, trajectories.estimator(name), *paths, always=True)
    elif name is not None:
        unknown = isinstance(name, Expr)
        note = "depends on a value the source does not tell" if unknown else _why_no_estimator(name)
        leave_open(w, EST, note, *paths, state=State.UNRESOLVED if unknown else State.NO_COUNTERPART)


def _why_no_estimator(name: str) -> str:
    """Explain why a name is not written: nothing has it, or only the agentic pipeline computes what it stands for."""
    if name in trajectories.OF_WORLDS:
        return (
            f"only ROLL's agentic pipeline computes {name}; in this one the name is plain reinforce, or stops the run"
        )
    return f"ROLL has no {name} estimator; nearest: grpo, reinforce, gae"


DISCOUNTED = ("gae", "reinforce", "reinforce_pp")
"""Estimators that discount elsewhere too."""


DISCOUNTS = When(lambda c: c.plan(A + "advantage") in DISCOUNTED, "advantages of groups are not discounted elsewhere")
_GAMMA = Pair("gamma", A + "gamma", 1)
GAMMA = together(
    Where(
        DISCOUNTS,
        _GAMMA,
        Noted(
            lambda r: r.native("gamma", 1) != 1,
            lambda r: (
                f"returns are discounted by {r.native('gamma', 1)} token by token; elsewhere advantages of groups are not"
            ),
            narrows="gamma",
        ),
        written=_GAMMA,
    ),
    why="functionals: gae and return-to-go",
    when=RL,
)
"""ROLL discounts every return; group estimators elsewhere do not (section 4.1)."""
