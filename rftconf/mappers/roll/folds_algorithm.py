"""ROLL's advantage, policy loss and their aggregation."""

from __future__ import annotations

import re
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.roll.conditions import RL, follows_teacher
from rftconf.mappers.roll.folds_preference import read_own_loss, write_own_loss
from rftconf.mappers.shapes import leave_open, settle
from rftconf.plan.origin import Kind

A = "stage.algorithm."
EST, MEAN, STD = "adv_estimator", "norm_mean_type", "norm_std_type"
NORMED = {
    ("group", "group"): ("grpo", "group"),
    ("group", None): ("grpo_mean_only", "none"),
    ("group", "batch"): ("grpo", "batch"),
    (None, None): ("reinforce", None),
    ("batch", "batch"): ("reinforce_pp", "batch"),
}
"""What the reinforce estimator is called, by the reward's normalisation."""
NORMS = {found: norms for norms, found in NORMED.items()}


KNOWN = ("gae", "reinforce", "grpo", "gigpo", "step_reinforce", "agentic_reinforce")
"""What ROLL computes."""


def read_advantage(r: ReadContext) -> None:
    """The estimator and the normalisation of rewards make one advantage."""
    if not RL.test(r):
        return
    if follows_teacher(r):
        r.set(A + "advantage", "teacher", "is_pure_opd", how="the teacher's divergence")
        r.set(A + "critic.enabled", False, kind=Kind.DEFAULT, how="there is no critic beside a teacher")
        return
    name, norms = r.native(EST), (r.native(MEAN), r.native(STD))
    if name == "grpo":
        r.inactive.update(dict.fromkeys((MEAN, STD), "adv_estimator grpo overwrites it with group"))
        found: tuple[Any, Any] = ("grpo", "group")
    elif name == "reinforce" and norms in NORMED:
        found = NORMED[norms]
    else:
        found = (name, None)
        for key, value in zip((MEAN, STD), norms, strict=True):
            if value is not None:
                r.narrowed[key] = (
                    f"rewards are normalised by {value} before {name}; elsewhere the estimator does it or nobody"
                )
    if found[0] == "reinforce_pp":
        r.note(
            "rewards are normalised over the batch; elsewhere reinforce++ whitens advantages token by token (section 4.1)"
        )
    if found[1] == "group" and r.native("num_return_sequences_in_group") == 1:
        r.note("groups of one have no standard deviation: ROLL's advantages become NaN (H39)")
    if isinstance(name, str) and name not in KNOWN:
        r.narrowed[EST] = f"ROLL has no estimator {name}: the run stops when it starts, or at its first update"
        r.note(f"{EST}={name}: {r.narrowed[EST]}")
    r.set(A + "advantage", found[0], EST, MEAN, STD)
    r.set(A + "std_scope", found[1], STD, EST)
    r.set(A + "critic.enabled", name if isinstance(name, Expr) else name == "gae", EST)


def write_advantage(w: WriteContext) -> None:
    """By name, or as reinforce with the reward's normalisation."""
    if not RL.test(w):
        return
    name, scope = w.plan(A + "advantage"), w.plan(A + "std_scope")
    if follows_teacher(w):
        for path in [p for p in (A + "advantage", A + "std_scope") if w.plan(p) is not None]:
            w.lose(path, State.DERIVED, "is_pure_opd: the teacher's divergence is the advantage")
    else:
        _write_estimator(w, name, scope)
    wanted = w.plan(A + "critic.enabled")
    if wanted is not None and EST in w.out and w.out[EST].value == "???":
        w.lose(A + "critic.enabled", State.UNRESOLVED, "the estimator decides: gae has a critic")
    elif wanted is not None and wanted != (name == "gae"):
        w.lose(A + "critic.enabled", State.NARROWED, "ROLL has a critic with gae and only then")
    elif wanted is not None:
        w.lose(A + "critic.enabled", State.DERIVED, "the estimator decides: gae has a critic")
    if name in ("grpo", "grpo_mean_only") and w.plan("stage.batch.responses_per_prompt") == 1:
        why = "groups of one have no standard deviation: ROLL's advantages become NaN (H39)"
        w.decide(EST, why, "more than one response for each prompt", "adv_estimator reinforce without normalisation")


def _write_estimator(w: WriteContext, name: Any, scope: Any) -> None:
    paths = [A + "advantage"] + ([A + "std_scope"] if scope is not None else [])
    if name == "gae":
        w.put(EST, "gae", *paths, always=True)
    elif name == "grpo" and scope in ("group", None):
        w.put(EST, "grpo", *paths, always=True)
    elif (name, scope) in NORMS or (name in ("reinforce", "reinforce_pp", "grpo_mean_only")):
        plain = {"reinforce": (None, None), "reinforce_pp": ("batch", "batch"), "grpo_mean_only": ("group", None)}
        mean, std = NORMS.get((name, scope)) or plain[name]
        near = name == "reinforce_pp"
        note = (
            "ROLL normalises rewards over the batch where the source whitens token advantages (section 4.1)"
            if near
            else ""
        )
        w.put(
            EST, "reinforce", A + "advantage", state=State.NARROWED if near else State.DERIVED, note=note, always=True
        )
        w.put(MEAN, mean, A + "advantage", state=State.NARROWED if near else State.DERIVED, note=note)
        w.put(STD, std, *paths, state=State.NARROWED if near else State.DERIVED, note=note)
    elif w.same_framework:
        w.put(EST, name, *paths, always=True)
    elif name is not None:
        unknown = isinstance(name, Expr)
        note = (
            "depends on a value the source does not tell"
            if unknown
            else f"ROLL has no {name} estimator; nearest: grpo, reinforce, gae"
        )
        leave_open(w, EST, note, *paths, state=State.UNRESOLVED if unknown else State.NO_COUNTERPART)


DISCOUNTED = ("gae", "reinforce", "reinforce_pp")
"""Estimators that discount elsewhere too."""


def read_gamma(r: ReadContext) -> None:
    """ROLL discounts every return; group estimators elsewhere do not (section 4.1)."""
    gamma = r.native("gamma", 1)
    if r.plan(A + "advantage") in DISCOUNTED:
        r.set(A + "gamma", gamma, "gamma")
    elif RL.test(r) and gamma != 1:
        r.narrowed["gamma"] = (
            f"returns are discounted by {gamma} token by token; elsewhere advantages of groups are not"
        )
        r.note(r.narrowed["gamma"])


def write_gamma(w: WriteContext) -> None:
    """1 unless the source discounts."""
    if RL.test(w) and w.plan(A + "gamma") is not None:
        w.put("gamma", w.plan(A + "gamma"), A + "gamma")


CLIP, RANGE, LOW, HIGH, DUAL = "pg_clip", "use_pg_clip_range", "pg_clip_low", "pg_clip_high", "dual_clip_loss"
VARIANT, CLASS, LEVEL = "actor_train.pg_variant", "actor_train.worker_cls", "importance_sampling"
OWN_CLIP = 0.2
"""ROLL's default for all three."""
PG_WORKER = "roll.pipeline.rlvr.actor_pg_worker.ActorPGWorker"
L = A + "policy_loss."


def read_loss(r: ReadContext) -> None:
    """The surrogate: clip range, dual clip, sequence ratios, variants of a worker class of its own (H31, H32)."""
    if not RL.test(r):
        read_own_loss(r)
        return
    ranged = r.native(RANGE, False)
    if ranged is not True:
        r.inactive.update(dict.fromkeys((LOW, HIGH), "no effect while use_pg_clip_range is false (H31)"))
    low, high = (r.native(k) if ranged is True else r.native(CLIP) for k in (LOW, HIGH))
    if ranged is True and r.native(DUAL, False) is not True:
        r.inactive[CLIP] = "use_pg_clip_range is true, and nothing else reads pg_clip without dual_clip_loss"
    r.set(L + "clip_low", low, *((LOW, RANGE) if ranged is True else (CLIP,)))
    r.set(L + "clip_high", high, *((HIGH, RANGE) if ranged is True else (CLIP,)))
    family = _family(r)
    dual = r.native(DUAL, False) if isinstance(family, Expr) or family in CLIPPED_TWICE else False
    if dual is False and r.native(DUAL, False) is True:
        r.inactive[DUAL] = f"the {family} loss is not clipped twice (actor_pg_worker: _compute_ppo_loss alone is)"
    bound = None if dual is False or r.native(CLIP) is None else 1 + 2 * r.native(CLIP)
    keys, how = ((DUAL,), "") if dual is False else ((DUAL, CLIP), "1 + 2 x pg_clip (H32)")
    r.set(L + "dual_clip_c", bound, *keys, how=how)
    r.set(L + "family", family, LEVEL, VARIANT, CLASS)
    agg = r.native("loss_agg_mode")
    sums = agg == "seq-mean-token-sum-norm"
    r.set(A + "loss_agg", "sum-over-len" if sums else agg, "loss_agg_mode")
    r.set(A + "loss_agg_tokens", r.plan("stage.length.response_max_tokens") if sums else None, "loss_agg_mode")
    r.set(A + "loss_norm_scope", "update", kind=Kind.DEFAULT, how="global over the update")
    _name_what_stays(r)


def _name_what_stays(r: ReadContext) -> None:
    """Tokens that a filter takes out stay in the policy term of token-mean, whose numerator is not masked (H60)."""
    rules = re.compile(r"train_infer_correction\.filters\[\d+\]\.enabled")
    filters = any(rules.fullmatch(key) and leaf.value is True for key, leaf in r.source.leaves())
    if filters and r.native("loss_agg_mode") == "token-mean":
        r.note(
            "loss_agg_mode token-mean: tokens that train_infer_correction.filters takes out stay in the policy loss (H60)"
        )


def _family(r: ReadContext) -> Any:
    variant, own = r.native(VARIANT), str(r.native(CLASS) or "").endswith("ActorPGWorker")
    if own:
        return {"ppo": "ppo", None: "vanilla_pg", "vanilla": "vanilla_pg"}.get(variant, variant)
    if variant is not None:
        r.inactive[VARIANT] = "only the worker class ActorPGWorker reads it"
    level = r.native(LEVEL, "token")
    return level if isinstance(level, Expr) else "gspo" if level == "seq" else "ppo"


CLIPPED_TWICE = ("ppo", "gspo")
"""Losses that dual_clip_loss is for: base_worker's own on either level, and ActorPGWorker's ppo."""
VARIANTS = ("vanilla_pg", "tis", "topr", "cispo", "kimi15")


def write_loss(w: WriteContext) -> None:
    """Low and high always, with the switch that makes them count (H31)."""
    if not RL.test(w):
        write_own_loss(w)
        return
    _write_family(w)
    low, high, c = (w.plan(L + f) for f in ("clip_low", "clip_high", "dual_clip_c"))
    if isinstance(c, (int, float)) and c <= 1:
        w.lose(
            L + "dual_clip_c",
            State.NO_COUNTERPART,
            f"{c:g} bounds no loss: a dual clip is above 1 (H32), and pg_clip would be below 0",
        )
        c = None
    around = OWN_CLIP if low is None else low
    ranged = low != high or (c is not None and not isinstance(c, Expr) and c != 1 + 2 * around)
    if low is None and ranged:
        w.put(RANGE, True, always=True, how="else pg_clip, which the bound reads, would count for both (H31)")
    elif ranged:
        w.put(RANGE, True, L + "clip_low", L + "clip_high", always=True, how="else pg_clip would count for both (H31)")
        w.put(LOW, low, L + "clip_low", always=True)
        w.put(HIGH, high, L + "clip_high", always=True)
    elif low is not None:
        w.put(CLIP, low, L + "clip_low", L + "clip_high", always=True)
    if isinstance(c, Expr):
        w.put(DUAL, True, always=True)
        w.put(
            CLIP,
            (c - 1) / 2,
            L + "dual_clip_c",
            state=State.DERIVED,
            always=True,
            how="the bound is 1 + 2 x pg_clip (H32)",
        )
    elif c is not None:
        w.put(DUAL, True, L + "dual_clip_c", always=True)
        if ranged:
            half = (c - 1) / 2
            w.put(CLIP, round(half, 12), L + "dual_clip_c", state=State.DERIVED, always=True,
                  how=f"only the bound reads it while use_pg_clip_range is true: 1 + 2 x {half:g} = {c:g} (H32)")  # fmt: skip
    _write_aggregation(w)


def _write_family(w: WriteContext) -> None:
    family, path = w.plan(L + "family"), L + "family"
    if family == "gspo":
        w.put(LEVEL, "seq", path, always=True)
    elif family == "ppo":
        w.lose(path, State.DEFAULT, "the loss of ROLL's own actor worker")
    elif family in VARIANTS:
        w.put(CLASS, PG_WORKER, path, always=True, how="pg_variant is read by this class only")
        w.put(VARIANT, "vanilla" if family == "vanilla_pg" else family, path, always=True)
    elif family is not None:
        unknown = isinstance(family, Expr)
        note = (
            "depends on a value the source does not tell"
            if unknown
            else f"ROLL has no {family} loss: this key chooses between PPO's ratio of tokens (token) and GSPO's of sequences (seq); "
            "actor_train.pg_variant has cispo, tis and topr"
        )
        leave_open(w, LEVEL, note, path, state=State.UNRESOLVED if unknown else State.NO_COUNTERPART)


AGGREGATIONS = {
    "sum-over-len": ("seq-mean-token-sum-norm", ""),
    "seq-mean-sum-over-len": (
        "seq-mean-token-sum-norm",
        "the same name does not divide by the number of sequences here: gradients are larger by that factor; mind max_grad_norm (H61)",
    ),
    "token-sum": ("token-mean", "ROLL has no token-sum"),
}


def _write_aggregation(w: WriteContext) -> None:
    agg = w.plan(A + "loss_agg")
    if agg is not None:
        mode, note = AGGREGATIONS.get(agg, (agg, "")) if isinstance(agg, str) else (agg, "")
        w.put(
            "loss_agg_mode", mode, A + "loss_agg", state=State.NARROWED if note else State.EXACT, note=note, always=True
        )
    tokens = w.plan(A + "loss_agg_tokens")
    if tokens is not None:
        padded = tokens == w.plan("stage.length.response_max_tokens")
        note = "the padded response length" if padded else "ROLL divides by the padded response length, no other number"
        settle(w, A + "loss_agg_tokens", padded, note, state=State.NO_COUNTERPART)
    settle(
        w,
        A + "loss_norm_scope",
        w.plan(A + "loss_norm_scope") in ("update", None),
        "as ROLL does",
        "ROLL averages the loss over the whole update on all ranks (H25, H26)",
    )
