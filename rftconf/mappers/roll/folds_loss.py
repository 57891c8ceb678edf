"""ROLL's policy loss: its family, what it clips, how its tokens become one number."""

from __future__ import annotations

import re
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, OpenKey
from rftconf.mappers.aggregation import read_aggregation, write_aggregation
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.families import LOSSES, described, native_name, plan_name
from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.roll.conditions import RL
from rftconf.mappers.roll.folds_preference import read_own_loss, write_own_loss
from rftconf.mappers.shapes import Behaves, leave_open, settle_known
from rftconf.plan.origin import Kind

A = "stage.algorithm."
CLIP, RANGE, LOW, HIGH, DUAL = "pg_clip", "use_pg_clip_range", "pg_clip_low", "pg_clip_high", "dual_clip_loss"
VARIANT, CLASS, LEVEL = "actor_train.pg_variant", "actor_train.worker_cls", "importance_sampling"
OWN_CLIP = 0.2
"""ROLL's default for all three."""
PG_WORKER = "roll.pipeline.rlvr.actor_pg_worker.ActorPGWorker"
L = A + "policy_loss."
OWN_CORRECTION = "train_infer_correction"
"""The section of weights and filters that no other framework has; without it nothing is corrected."""


def read_loss(r: ReadContext) -> None:
    """The surrogate: clip range, dual clip, sequence ratios, variants of a worker class of its own (H31, H32)."""
    if not RL.test(r):
        read_own_loss(r)
        return
    family = _family(r)
    if family in UNCLIPPED:
        _read_unclipped(r, family)
    else:
        _read_clips(r, family)
    r.set(L + "family", family, *(key for key in (LEVEL, VARIANT, CLASS) if key not in r.inactive))
    read_aggregation(r, r.native("loss_agg_mode"), "loss_agg_mode", padded_by="loss_agg_mode")
    SCOPE.read(r)
    _name_what_stays(r)


UNCLIPPED: dict[Any, float | None] = {"gpg": None, "tis": None, "topr_by_reward": None, "kimi15": None, "cispo": 0.1}
"""Variants that read no pg_clip, with the range of what they clip. roll 0.3.0 actor_pg_worker.py takes cispo_epsilon_low
and _high of the worker's config, which has no such fields: 0.1 it is."""


def _read_unclipped(r: ReadContext, family: Any) -> None:
    why = f"the {described(family)} loss does not read it (actor_pg_worker)"
    r.inactive.update(dict.fromkeys((CLIP, RANGE, LOW, HIGH, DUAL), why))
    for path in ("clip_low", "clip_high"):
        r.set(L + path, UNCLIPPED[family], kind=Kind.DEFAULT, how="actor_pg_worker: cispo_epsilon_*, no key")
    r.set(L + "dual_clip_c", None, VARIANT)


def _read_clips(r: ReadContext, family: Any) -> None:
    ranged = r.native(RANGE, False)
    if ranged is not True:
        r.inactive.update(dict.fromkeys((LOW, HIGH), "no effect while use_pg_clip_range is false (H31)"))
    low, high = (r.native(k) if ranged is True else r.native(CLIP) for k in (LOW, HIGH))
    if ranged is True and r.native(DUAL, False) is not True:
        r.inactive[CLIP] = "use_pg_clip_range is true, and nothing else reads pg_clip without dual_clip_loss"
    r.set(L + "clip_low", low, *((LOW, RANGE) if ranged is True else (CLIP,)))
    r.set(L + "clip_high", high, *((HIGH, RANGE) if ranged is True else (CLIP,)))
    dual = r.native(DUAL, False) if isinstance(family, Expr) or family in CLIPPED_TWICE else False
    if dual is False and r.native(DUAL, False) is True:
        r.inactive[DUAL] = f"the {family} loss is not clipped twice (actor_pg_worker: _compute_ppo_loss alone is)"
    bound = None if dual is False or r.native(CLIP) is None else 1 + 2 * r.native(CLIP)
    keys, how = ((DUAL,), "") if dual is False else ((DUAL, CLIP), "1 + 2 x pg_clip (H32)")
    r.set(L + "dual_clip_c", bound, *keys, how=how)


def _name_what_stays(r: ReadContext) -> None:
    """Tokens that a filter takes out stay in the policy term of token-mean, whose numerator is not masked (H60)."""
    rules = re.compile(r"train_infer_correction\.filters\[\d+\]\.enabled")
    filters = any(rules.fullmatch(key) and leaf.value is True for key, leaf in r.source.leaves())
    if filters and r.native("loss_agg_mode") == "token-mean":
        r.note(
            "loss_agg_mode token-mean: tokens that train_infer_correction.filters takes out stay in the policy loss (H60)"
        )


def correction_of_its_own(context: ReadContext | WriteContext, path: str) -> Any:
    """Return an open value where the source's own section of corrections is written: no field of the plan holds it."""
    del path
    written = not context.writes and any(key.startswith(OWN_CORRECTION) for key, _ in context.source.leaves())
    return OpenKey(OWN_CORRECTION) if written else UNSET


def _family(r: ReadContext) -> Any:
    variant, own = r.native(VARIANT), str(r.native(CLASS) or "").endswith("ActorPGWorker")
    if own:
        r.inactive[LEVEL] = (
            "the worker class ActorPGWorker takes the ratio of each token (actor_pg_worker.py loss_func)"
        )
        return plan_name("vanilla" if variant is None else variant, VARIANTS, LOSSES)
    if variant is not None:
        r.inactive[VARIANT] = "only the worker class ActorPGWorker reads it"
    level = r.native(LEVEL, "token")
    return level if isinstance(level, Expr) else "gspo" if level == "seq" else "ppo"


CLIPPED_TWICE = ("ppo", "gspo")
"""Losses that dual_clip_loss is for: base_worker's own on either level, and ActorPGWorker's ppo."""
VARIANTS = {
    "ppo": "ppo", "vanilla": "gpg", "tis": "tis", "topr": "topr_by_reward", "cispo": "cispo", "kimi15": "kimi15",
}  # fmt: skip
"""`actor_train.pg_variant` of ActorPGWorker; its topr looks at scores, and not at advantages."""


def write_loss(w: WriteContext) -> None:
    """Low and high always, with the switch that makes them count (H31)."""
    if not RL.test(w):
        write_own_loss(w)
        return
    _write_family(w)
    if w.plan(L + "family") in UNCLIPPED:
        _settle_clips(w, UNCLIPPED[w.plan(L + "family")])
    else:
        _write_clips(w)
    write_aggregation(w, "ROLL", {"loss_agg_mode": ""}, larger_by="that factor; mind max_grad_norm")
    SCOPE.write(w)


def _settle_clips(w: WriteContext, mine: float | None) -> None:
    """Record what becomes of the plan's clips in a loss that has no key for them; `mine` is the clip in its code."""
    for path in (f"{L}clip_low", f"{L}clip_high", f"{L}dual_clip_c"):
        clip = None if path.endswith("_c") else mine
        clips = f"this loss clips at {mine:g}, and no key says otherwise (actor_pg_worker)" if clip else ""
        settle_known(w, path, w.plan(path) == clip, clips or "this loss does not clip")


def _write_clips(w: WriteContext) -> None:
    low, high, c = (w.plan(L + f) for f in ("clip_low", "clip_high", "dual_clip_c"))
    if isinstance(c, (int, float)) and c <= 1:
        note = f"{c:g} bounds no loss: a dual clip is above 1 (H32), and pg_clip would be below 0"
        w.lose(L + "dual_clip_c", State.NO_COUNTERPART, note)
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
        how = "the bound is 1 + 2 x pg_clip (H32)"
        w.put(CLIP, (c - 1) / 2, L + "dual_clip_c", state=State.DERIVED, always=True, how=how)
    elif c is not None:
        w.put(DUAL, True, L + "dual_clip_c", always=True)
        if ranged:
            half = (c - 1) / 2
            w.put(CLIP, round(half, 12), L + "dual_clip_c", state=State.DERIVED, always=True,
                  how=f"only the bound reads it while use_pg_clip_range is true: 1 + 2 x {half:g} = {c:g} (H32)")  # fmt: skip


def _write_family(w: WriteContext) -> None:
    family, path = w.plan(L + "family"), L + "family"
    if family == "gspo":
        w.put(LEVEL, "seq", path, always=True)
    elif family == "ppo":
        w.lose(path, State.DEFAULT, "the loss of ROLL's own actor worker")
    elif family in VARIANTS.values():
        w.put(CLASS, PG_WORKER, path, always=True, how="pg_variant is read by this class only")
        w.put(VARIANT, native_name(family, VARIANTS), path, always=True)
    elif family is not None:
        unknown = isinstance(family, Expr)
        note = (
            "depends on a value the source does not tell"
            if unknown
            else f"ROLL has no {described(family)} loss: this key chooses between PPO's ratio of tokens (token) and GSPO's of sequences (seq); "
            "actor_train.pg_variant has cispo, tis and topr"
        )
        leave_open(w, LEVEL, note, path, state=State.UNRESOLVED if unknown else State.NO_COUNTERPART)


SCOPE = Behaves(
    A + "loss_norm_scope",
    "update",
    "global over the update",
    "ROLL averages the loss over the whole update on all ranks (H25, H26)",
    as_here="as ROLL does",
)
