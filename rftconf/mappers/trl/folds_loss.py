"""TRL's losses by name, how they are averaged, and the range that they clip the ratio to."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rates import numbers_of_period
from rftconf.mappers.shapes import leave_open, lose_known, settle_known
from rftconf.mappers.trl.conditions import CLIPPED

A = "stage.algorithm."
LOSS, LEVEL, LOW, HIGH = "loss_type", "importance_sampling_level", "epsilon", "epsilon_high"
LENGTH = "max_completion_length"
FAMILY, AGG, TOKENS, SCOPE = (
    A + name for name in ("policy_loss.family", "loss_agg", "loss_agg_tokens", "loss_norm_scope")
)
CLIP_LOW, CLIP_HIGH = A + "policy_loss.clip_low", A + "policy_loss.clip_high"
MEAN_BY_WINDOW = "1.10.0"
"""The catalogued release since which dapo, cispo and vespo divide by the tokens of an update, and not of a generation."""
AVERAGES = {
    "grpo": "seq-mean-token-mean", "sapo": "seq-mean-token-mean", "bnpo": "token-mean", "dapo": "token-mean",
    "cispo": "token-mean", "vespo": "token-mean", "dr_grpo": "seq-mean-sum-over-len", "luspo": "seq-mean-token-sum",
}  # fmt: skip
"""Loss type to how the losses of tokens become one number (trl/trainer/grpo_trainer.py: _compute_loss)."""
OWN = ("cispo", "sapo", "vespo")
"""Losses with a name and an average of their own."""
BY_AVERAGE = {AVERAGES[name]: name for name in ("grpo", "dapo", "dr_grpo", "luspo")}
NEAREST = {
    "sum-over-len": ("dr_grpo", "dr_grpo divides by the number of answers as well: gradients are smaller by it"),
    "token-sum": ("dapo", "TRL divides by the tokens of the update, where the source takes their sum"),
    "seq-mean-token-sum-norm": ("dr_grpo", "dr_grpo divides by max_completion_length"),
}  # fmt: skip
UNREACHED = 1.0e9
"""A bound of the ratio above all that a ratio gets to."""


def read_loss(r: ReadContext) -> None:
    """The loss type names the average; cispo, sapo and vespo are other losses, and the level of the ratio makes gspo."""
    name, level = r.native(LOSS), r.native(LEVEL)
    family: Any = name if name in OWN or isinstance(name, Expr) else "ppo"
    if family == "ppo":
        family = level if isinstance(level, Expr) else "gspo" if level == "sequence" else "ppo"
    r.set(FAMILY, family, LOSS, LEVEL)
    if level == "sequence" and family != "gspo":
        r.narrowed[LEVEL] = f"the ratio of a whole sequence within {name}, which no field of the plan holds"
    r.set(AGG, name if isinstance(name, Expr) else AVERAGES.get(name), LOSS)
    r.set(TOKENS, r.native(LENGTH) if name == "dr_grpo" else None, LOSS, LENGTH)
    by_tokens = AVERAGES.get(name) == "token-mean" if isinstance(name, str) else False
    r.set(SCOPE, "micro_batch_mean" if by_tokens and name == "bnpo" else "update", LOSS)
    _note_window(r, by_tokens and name != "bnpo")


def _note_window(r: ReadContext, by_tokens: bool) -> None:
    """Note that a loss is divided by the tokens of all updates of a generation batch, which shrinks each gradient."""
    prompts, n, update = numbers_of_period(r)
    if by_tokens and prompts is not None and not r.since(MEAN_BY_WINDOW) and prompts * n > update:
        times = prompts * n // update
        r.narrowed[LOSS] = (
            f"{r.release} divides by the tokens of a whole generation batch, which is {times} updates: each gradient is "
            f"{times} times smaller than the mean over the update"
        )


def write_loss(w: WriteContext) -> None:
    """The loss and its average make one name; a loss that TRL lacks is refused."""
    family, agg = w.plan(FAMILY), w.plan(AGG)
    if isinstance(family, Expr) or isinstance(agg, Expr):
        leave_open(w, LOSS, "the loss depends on a value the source does not tell", FAMILY, AGG)
        return
    if family not in (*CLIPPED, *OWN, None):
        raise RefusedError(
            f"the source's loss is {family}; TRL has the clipped ratio of ppo and gspo, and {', '.join(OWN)} (trl/trainer/grpo_trainer.py: _compute_loss)",
            choices=("the ppo loss in the source, with clip ranges for it",),
        )
    if family is None and agg is None:
        return
    name, note = (family, "") if family in OWN else _by_average(w, agg)
    paths = [path for path in (FAMILY, AGG) if w.plan(path) is not None]
    w.put(LOSS, name, *paths, note=note, always=True)
    if family == "gspo":
        w.put(LEVEL, "sequence", FAMILY, always=True)
    if family in OWN and agg not in (AVERAGES[name], None):
        w.lose(AGG, State.NARROWED, f"{LOSS}={name} averages by {AVERAGES[name]}, and not by {agg}")
    _settle_divisor(w, name)


def _by_average(w: WriteContext, agg: Any) -> tuple[str, str]:
    """The name of a clipped loss by its average, and what is lost by it."""
    if agg == "token-mean" and w.plan(SCOPE) == "micro_batch_mean":
        return "bnpo", ""
    if agg in BY_AVERAGE or agg is None:
        return BY_AVERAGE.get(agg, "dapo"), ""
    return NEAREST.get(agg, ("dapo", f"TRL averages over the tokens of an update, where the source has {agg}"))


def _settle_divisor(w: WriteContext, name: str) -> None:
    """Record over what a loss takes its mean here, and by what it divides a sum."""
    mine, scope = "micro_batch_mean" if name == "bnpo" else "update", w.plan(SCOPE)
    other = f"{LOSS}={name} weighs every part of an update alike, where the source has {formula(scope)}"
    settle_known(w, SCOPE, scope == mine, f"as {LOSS}={name} has it", other)
    tokens = w.plan(TOKENS)
    same = name == "dr_grpo" and tokens == w.plan("stage.length.response_max_tokens")
    by = LENGTH if name == "dr_grpo" else "the tokens there are"
    settle_known(
        w, TOKENS, same, f"{LENGTH} is the divisor", f"{LOSS}={name} divides by {by}, not by {formula(tokens)}"
    )


def read_clip(r: ReadContext) -> None:
    """The upper bound is the lower one's number unless it has its own; cispo's is the ratio itself, not what is above 1."""
    family, low, high = r.plan(FAMILY), r.native(LOW), r.native(HIGH)
    upper, keys = (low, (LOW,)) if high is None else (high, (HIGH,))
    if family == "cispo":
        r.set(CLIP_HIGH, arith("-", upper, 1), *keys, how="cispo caps the ratio at this number itself")
        if upper == low:
            r.note(
                f"{LOSS}=cispo without {HIGH}: the ratio is capped at {LOW} itself, so that every token weighs {low} at most"
            )
        r.set(CLIP_LOW, None)
        return
    clips = family in CLIPPED or isinstance(family, Expr)
    r.set(CLIP_LOW, low if clips else None, LOW)
    r.set(CLIP_HIGH, upper if clips else None, *keys)
    if not clips:
        r.inactive.update(dict.fromkeys((LOW, HIGH), f"{LOSS}={family} bounds no ratio"))


def write_clip(w: WriteContext) -> None:
    """Bounds below and above; cispo's upper one is the ratio itself. No bound is one that no ratio reaches."""
    family, high = w.plan(FAMILY), w.plan(CLIP_HIGH)
    if family == "cispo":
        if high is not None:
            how = "cispo caps the ratio at this number itself"
            w.put(HIGH, arith("+", high, 1), CLIP_HIGH, state=State.DERIVED, always=True, how=how)
        lose_known(w, State.NARROWED, "cispo caps the ratio from above alone", CLIP_LOW)
    elif family not in CLIPPED:
        lose_known(w, State.DEAD_IN_TARGET, f"{LOSS}={formula(family)} bounds no ratio", CLIP_LOW, CLIP_HIGH)
    else:
        for key, path, unreached in ((LOW, CLIP_LOW, 1.0), (HIGH, CLIP_HIGH, UNREACHED)):
            if (bound := w.plan(path)) is not None:
                w.put(key, bound, path, always=True)
            elif path in w.values:
                w.put(key, unreached, always=True, how="the source has no such bound, and no ratio gets past this one")
