"""Losses by name, their clip ranges and how they are averaged; KL; the correction of the engine's log-probabilities."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import ReadContext
from rftconf.mappers.trl.conditions import CLIPPED

A, B = "stage.algorithm.", "stage.batch."
LOSS, LEVEL, LOW, HIGH, BETA = "loss_type", "importance_sampling_level", "epsilon", "epsilon_high", "beta"
LENGTH, WEIGHTED = "max_completion_length", "use_bias_correction_kl"
MEAN_BY_WINDOW = "1.10.0"
"""The catalogued release since which dapo, cispo and vespo divide by the tokens of an update, and not of a generation."""
AVERAGES = {
    "grpo": "seq-mean-token-mean", "sapo": "seq-mean-token-mean", "bnpo": "token-mean", "dapo": "token-mean",
    "cispo": "token-mean", "vespo": "token-mean", "dr_grpo": "seq-mean-sum-over-len", "luspo": "seq-mean-token-sum",
}  # fmt: skip
"""Loss type to how the losses of tokens become one number (trl/trainer/grpo_trainer.py: _compute_loss)."""


def read_loss(r: ReadContext) -> None:
    """The loss type names the average; cispo, sapo and vespo are other losses, and the level of the ratio makes gspo."""
    name, level = r.native(LOSS), r.native(LEVEL)
    family: Any = name if name in ("cispo", "sapo", "vespo") or isinstance(name, Expr) else "ppo"
    if family == "ppo":
        family = level if isinstance(level, Expr) else "gspo" if level == "sequence" else "ppo"
    r.set(A + "policy_loss.family", family, LOSS, LEVEL)
    if level == "sequence" and family != "gspo":
        r.narrowed[LEVEL] = f"the ratio of a whole sequence within {name}, which no field of the plan holds"
    r.set(A + "loss_agg", name if isinstance(name, Expr) else AVERAGES.get(name), LOSS)
    r.set(A + "loss_agg_tokens", r.native(LENGTH) if name == "dr_grpo" else None, LOSS, LENGTH)
    by_tokens = AVERAGES.get(name) == "token-mean" if isinstance(name, str) else False
    r.set(A + "loss_norm_scope", "micro_batch_mean" if by_tokens and name == "bnpo" else "update", LOSS)
    _note_window(r, by_tokens and name != "bnpo")


def _note_window(r: ReadContext, by_tokens: bool) -> None:
    """Note that a loss is divided by the tokens of all updates of a generation batch, which shrinks each gradient."""
    prompts, n, update = (
        r.plan(B + f) for f in ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update")
    )
    known = all(isinstance(number, int) for number in (prompts, n, update))
    if by_tokens and known and not r.since(MEAN_BY_WINDOW) and prompts * n > update:
        times = prompts * n // update
        r.narrowed[LOSS] = (
            f"{r.release} divides by the tokens of a whole generation batch, which is {times} updates: each gradient is "
            f"{times} times smaller than the mean over the update"
        )


def read_clip(r: ReadContext) -> None:
    """The upper bound is the lower one's number unless it has its own; cispo's is the ratio itself, not what is above 1."""
    family, low, high = r.plan(A + "policy_loss.family"), r.native(LOW), r.native(HIGH)
    upper, keys = (low, (LOW,)) if high is None else (high, (HIGH,))
    if family == "cispo":
        r.set(
            A + "policy_loss.clip_high", arith("-", upper, 1), *keys, how="cispo caps the ratio at this number itself"
        )
        if upper == low:
            r.note(
                f"{LOSS}=cispo without {HIGH}: the ratio is capped at {LOW} itself, so that every token weighs {low} at most"
            )
        r.set(A + "policy_loss.clip_low", None)
        return
    clips = family in CLIPPED or isinstance(family, Expr)
    r.set(A + "policy_loss.clip_low", low if clips else None, LOW)
    r.set(A + "policy_loss.clip_high", upper if clips else None, *keys)
    if not clips:
        r.inactive.update(dict.fromkeys((LOW, HIGH), f"{LOSS}={family} bounds no ratio"))


def read_kl(r: ReadContext) -> None:
    """A coefficient of 0 loads no reference; k3 is weighted with the ratio where use_bias_correction_kl is true."""
    at, beta, weighted = A + "kl_loss.", r.native(BETA), r.native(WEIGHTED)
    on = beta if isinstance(beta, Expr) else beta != 0
    r.set(at + "enabled", True if isinstance(on, Expr) else on, BETA)
    r.set(at + "coef", beta if on is not False else None, BETA)
    estimator = "corrected_k3" if weighted is True else "k3"
    r.set(at + "estimator", estimator if on is not False else None, WEIGHTED)
    if on is False:
        r.inactive[WEIGHTED] = "there is no KL penalty: beta is 0"


SCALE, SEVERAL = "scale_rewards", "multi_objective_aggregation"


def read_advantage(r: ReadContext) -> None:
    """The group's mean is taken off; whether and by what deviation it is divided is a word."""
    scale, several = r.native(SCALE), r.native(SEVERAL)
    if several == "normalize_then_sum":
        r.set(A + "advantage", "gdpo", SEVERAL)
        r.set(A + "std_scope", "batch", SEVERAL)
        r.inactive[SCALE] = f"{SEVERAL}=normalize_then_sum divides by deviations of its own"
        return
    if several not in ("sum_then_normalize", None):
        r.set(A + "advantage", several, SEVERAL)
        r.set(A + "std_scope", scale, SCALE)
        return
    known = not isinstance(scale, Expr)
    r.set(A + "advantage", ("grpo_mean_only" if scale == "none" else "grpo") if known else scale, SCALE)
    r.set(A + "std_scope", scale, SCALE)


CORRECTS, MODE, LEAST, MOST = (
    f"vllm_importance_sampling_{name}" for name in ("correction", "mode", "clip_min", "clip_max")
)
CORRECTION = (CORRECTS, MODE, LEAST, MOST)


def read_correction(r: ReadContext) -> None:
    """Tokens of the engine are weighted with the ratio of both log-probabilities, cut or masked at a bound."""
    path = A + "rollout_correction"
    on = r.native("use_vllm") is True and r.native(CORRECTS) is True
    if not on:
        r.set(path, None, CORRECTS)
        why = "nothing is corrected: use_vllm or vllm_importance_sampling_correction is false"
        r.inactive.update(dict.fromkeys((MODE, LEAST, MOST), why))
        return
    mode, least, most = str(r.native(MODE)), r.native(LEAST), r.native(MOST)
    level, _, action = mode.partition("_")
    if action == "mask":
        r.narrowed[MODE] = f"what is above {formula(most)} gets the weight 0 here; the weight is cut at it elsewhere"
    if least is not None:
        r.narrowed[LEAST] = "ratios below it are lifted or masked as well; the plan holds a bound from above alone"
    r.set(path, {"rollout_is": level, "rollout_is_threshold": most}, CORRECTS, MODE, MOST)
