"""OpenRLHF's policy loss: its ratio, what it clips, how its tokens become one number, and the engines' correction."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.openrlhf.conditions import CLIPPED
from rftconf.mappers.shapes import leave_open, lose_known, settle_known
from rftconf.plan.origin import Kind

A = "stage.algorithm."
KIND, MODE = "actor.policy_loss_type", "actor.loss_agg_mode"
FAMILY, AGG, TOKENS, SCOPE = A + "policy_loss.family", A + "loss_agg", A + "loss_agg_tokens", A + "loss_norm_scope"
BY_SEQUENCE, BY_TOKEN = "seq-mean-token-mean", "token-mean"
WHOLE_UPDATE = "0.10.4"
"""The release since which a loss is one mean over the update (openrlhf/utils/loss_utils.py: iter_grad_accum_global_norm)."""


def read_loss(r: ReadContext) -> None:
    """gspo takes the ratio of a sequence and averages by sequence; ppo averages as its mode says."""
    family = r.native(KIND)
    r.set(FAMILY, family, KIND)
    if family == "gspo":
        r.inactive[MODE] = f"{KIND}=gspo averages over each sequence first (PolicyLoss.__init__)"
    r.set(AGG, BY_SEQUENCE if family == "gspo" else r.native(MODE), MODE if family != "gspo" else KIND)
    r.set(TOKENS, None)
    r.set(
        SCOPE,
        "update" if r.since(WHOLE_UPDATE) else "micro_batch_mean",
        kind=Kind.DEFAULT,
        how="openrlhf/models/loss.py: aggregate_loss",
    )


def write_loss(w: WriteContext) -> None:
    """Two ratios and two averages. Raises RefusedError for another loss."""
    family, agg = w.plan(FAMILY), w.plan(AGG)
    if isinstance(family, Expr) or isinstance(agg, Expr):
        leave_open(w, KIND, "the loss depends on a value the source does not tell", FAMILY, AGG)
        return
    if family not in (*CLIPPED, None):
        raise RefusedError(
            f"the source's loss is {family}; OpenRLHF has the clipped ratio of ppo and gspo (openrlhf/models/loss.py: PolicyLoss)",
            choices=("the ppo loss in the source, with clip ranges for it",),
        )
    if family is not None:
        w.put(KIND, family, FAMILY)
    mine = BY_SEQUENCE if family == "gspo" or agg == BY_SEQUENCE else BY_TOKEN
    near = f"OpenRLHF averages by {mine}, where the source has {formula(agg)}"
    if agg is not None and family == "gspo":
        settle_known(w, AGG, agg == mine, "gspo averages over each sequence first", near)
    elif agg is not None:
        w.put(MODE, mine, AGG, state=State.EXACT if agg == mine else State.NARROWED, note="" if agg == mine else near)
    scope = "update" if w.since(WHOLE_UPDATE) else "micro_batch_mean"
    other = (
        "OpenRLHF takes one mean over the whole update"
        if scope == "update"
        else "this release takes a mean over each micro-batch"
    )
    settle_known(w, SCOPE, w.plan(SCOPE) == scope, "as OpenRLHF does", other)
    lose_known(w, State.NARROWED, f"OpenRLHF divides by what there is, and not by {formula(w.plan(TOKENS))}", TOKENS)


CLIP, PAIR = "actor.eps_clip", "actor.eps_clip_low_high"
LOW, HIGH = A + "policy_loss.clip_low", A + "policy_loss.clip_high"
UNREACHED = 1.0e9
"""A bound of the ratio above all that a ratio gets to."""


def read_clip(r: ReadContext) -> None:
    """A pair of bounds, else one number for both."""
    pair, width = r.native(PAIR), r.native(CLIP)
    if pair is None:
        r.set(LOW, width, CLIP)
        r.set(HIGH, width, CLIP)
        return
    r.inactive[CLIP] = f"{PAIR} is written: it gives both bounds"
    low, high = pair if isinstance(pair, list) and len(pair) == 2 else (pair, pair)
    r.set(LOW, low, PAIR)
    r.set(HIGH, high, PAIR)


def write_clip(w: WriteContext) -> None:
    """One number where both bounds are alike, else the pair. A bound that the source has not is one that no ratio reaches."""
    if LOW not in w.values and HIGH not in w.values:
        return
    low, high = w.plan(LOW), w.plan(HIGH)
    paths = [path for path in (LOW, HIGH) if w.plan(path) is not None]
    if low is not None and low == high:
        w.put(CLIP, low, *paths)
        return
    pair = [1.0 if low is None else low, UNREACHED if high is None else high]
    missing = low is None or high is None
    w.put(
        PAIR,
        pair,
        *paths,
        always=True,
        how="the source has no such bound, and no ratio gets past this one" if missing else "",
    )


CORRECTION = LEVEL, TREATS, GATING, BAND = tuple(
    f"algo.advantage.is_correction_{name}" for name in ("level", "mode", "gating", "threshold")
)
WEIGHTS, OLD = A + "rollout_correction", "stage.sync.old_logprob"
LEAST = "1e-09"
"""A lower bound that no weight is below, where a band has none: its logarithm is taken elsewhere."""
BY_ANSWER = "seq_mean_k1"
"""The plan's word for answers that are left out by the mean of their tokens' log-ratio, engine over trainer."""
COUNTED = "an answer outside of the band adds nothing to the loss and is counted in its mean here; elsewhere its tokens are left out of the mean"
DIVERGES = "answers or tokens are left out here by a divergence of both probabilities, which no field of the plan holds"


def read_correction(r: ReadContext) -> None:
    """Tokens are weighted with the trainer's probability over the engine's; a band cuts weights, or leaves out tokens or answers.

    gspo takes its ratio against the engine's probabilities instead, and weighs nothing (PolicyLoss.forward).
    """
    level, mode, gating, band = (r.native(key) for key in CORRECTION)
    of_sequences = level != "off" and r.plan(FAMILY) == "gspo"
    r.set(OLD, "rollout_engine" if of_sequences else "recompute_at_rollout", *((LEVEL, KIND) if of_sequences else ()),
          kind=None if of_sequences else Kind.DEFAULT, how="the actor scores a rollout before it is trained on")  # fmt: skip
    if level == "off" or of_sequences:
        why = f"{KIND}=gspo weighs nothing" if of_sequences else f"{LEVEL}=off: nothing is corrected"
        r.set(WEIGHTS, None, LEVEL)
        r.inactive.update(dict.fromkeys((TREATS, GATING, BAND), why))
        return
    least, most = _bounds(band)
    weights: dict[str, Any] = {"rollout_is": "token", "rollout_is_threshold": UNREACHED}
    if gating != "ratio" or least is None or level not in ("token", "seq"):
        r.narrowed[GATING] = DIVERGES
    elif level == "seq":
        weights |= {"rollout_rs": BY_ANSWER, "rollout_rs_threshold": _inverse(least, most)}
        r.narrowed[LEVEL] = COUNTED
    elif mode == "clip":
        weights["rollout_is_threshold"] = most
        if least:
            r.narrowed[BAND] = f"weights below {formula(least)} are lifted to it as well; the plan has no such bound"
    else:
        weights["rollout_is_threshold"] = f"{least or LEAST}_{most}"
    r.set(WEIGHTS, weights, *CORRECTION)


def _bounds(band: Any) -> tuple[Any, Any]:
    """Both bounds of the statistic; a single one is the upper (train_ppo_ray)."""
    items = band if isinstance(band, list) else [band]
    if len(items) not in (1, 2) or not all(isinstance(item, int | float) for item in items):
        return None, None
    return (0.0, items[0]) if len(items) == 1 else (items[0], items[1])


def _inverse(least: float, most: float) -> str:
    """A band of one ratio as the band of its inverse."""
    return f"{1 / most:.12g}_{1 / (least or float(LEAST)):.12g}"


def write_correction(w: WriteContext) -> None:
    """Weights of tokens that are cut at a bound, or left out by themselves or with their answers outside of two."""
    sequences = w.plan(FAMILY) == "gspo"
    if w.plan(OLD) == "rollout_engine" and sequences and not w.same_framework:
        w.put(LEVEL, "token", OLD, always=True, how="gspo then takes its ratio against the engine's probabilities")
    else:
        mine = "the actor scores a rollout before it is trained on"
        settle_known(w, OLD, w.plan(OLD) == "recompute_at_rollout", mine)
    has = w.plan(WEIGHTS)
    if WEIGHTS not in w.values or has is None:
        return
    if sequences:
        lose_known(w, State.NO_COUNTERPART, f"{KIND}=gspo weighs nothing", WEIGHTS)
        return
    weights = has if isinstance(has, dict) else {}
    level, most, answers = (weights.get(name) for name in ("rollout_is", "rollout_is_threshold", "rollout_rs"))
    by_answer = answers == BY_ANSWER and level == "token" and most == UNREACHED
    band: Any = [0.0, most] if isinstance(most, int | float) else _range(most)
    if by_answer:
        band = _range(weights.get("rollout_rs_threshold"))
        band = None if band is None or 0 in band else [round(1 / bound, 9) for bound in reversed(band)]
    if level != "token" or band is None:
        note = "OpenRLHF weights tokens, cut or left out by bounds of the ratio, and has no such correction"
        lose_known(w, State.NO_COUNTERPART, note, WEIGHTS)
        return
    known = {"rollout_is", "rollout_is_threshold", *(("rollout_rs", "rollout_rs_threshold") if by_answer else ())}
    more = [f"OpenRLHF has no {name}" for name in sorted(weights.keys() - known)] + [COUNTED] * by_answer
    cuts = isinstance(most, int | float) and not by_answer
    w.put(LEVEL, "seq" if by_answer else "token", WEIGHTS, note="; ".join(more), always=True)
    w.put(TREATS, "clip" if cuts else "mask", WEIGHTS, always=True)
    w.put(BAND, band, WEIGHTS, always=True)


def _range(threshold: Any) -> list[float] | None:
    lower, _, upper = str(threshold).partition("_")
    try:
        return [0.0 if lower == LEAST else float(lower), float(upper)]
    except ValueError:
        return None
