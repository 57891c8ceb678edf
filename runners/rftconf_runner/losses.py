"""Policy, KL, entropy and value losses per token, and how tokens become one number. All tensors [sequences, tokens]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

import torch
from torch import Tensor

from rftconf_runner.aggregations import OVER_LENGTH, SUMS
from rftconf_runner.rec import rec

LOG_RATIO_MAX = 20.0
"""exp of more overflows long before it means anything; veRL clamps here too."""
GSPO_LOG_RATIO_MAX = 10.0
KL_MAX = 10.0
DIVERGENCE_EPSILON = 1e-8
KIMI_TAU = 0.1
"""ROLL's weight of the square in kimi15, for which its config has no key (actor_pg_worker.py)."""
GEO_EPSILON = 1e-8
"""Added to the number of tokens by veRL's geo_mean."""
Estimator = Literal["k1", "abs", "k2", "k3", "k3_clamped"]


def clipped(log_probs: Tensor, old: Tensor, advantages: Tensor, low: float, high: float, dual: float | None) -> Tensor:
    """PPO's clipped surrogate; with `dual`, the loss of bad answers is bounded at `dual` times the advantage (H32)."""
    ratio = (log_probs - old).clamp(-LOG_RATIO_MAX, LOG_RATIO_MAX).exp()
    loss = torch.maximum(-advantages * ratio, -advantages * ratio.clamp(1 - low, 1 + high))
    return loss if dual is None else torch.where(advantages < 0, torch.minimum(loss, -advantages * dual), loss)


def sequence_clipped(
    log_probs: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, low: float, high: float, dual: float | None = None
) -> Tensor:
    """GSPO: one ratio per sequence, the geometric mean of its tokens'; its gradient goes through every token. `dual` is as above."""
    mean = ((log_probs - old) * mask).sum(-1) / mask.sum(-1).clamp(min=1)
    ratio = (log_probs - log_probs.detach() + mean.detach().unsqueeze(-1)).clamp(max=GSPO_LOG_RATIO_MAX).exp()
    loss = torch.maximum(-advantages * ratio, -advantages * ratio.clamp(1 - low, 1 + high))
    return loss if dual is None else torch.where(advantages < 0, torch.minimum(loss, -advantages * dual), loss)


def weighted_log_likelihood(log_probs: Tensor, old: Tensor, advantages: Tensor, low: float, high: float) -> Tensor:
    """CISPO: the clipped ratio is a weight without gradient, so that clipped tokens still teach."""
    ratio = (log_probs - old).clamp(-LOG_RATIO_MAX, LOG_RATIO_MAX).exp().clamp(1 - low, 1 + high)
    return -ratio.detach() * advantages * log_probs


def geometric_mean(log_probs: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, low: float, high: float) -> Tensor:
    """GMPO: the geometric mean of a sequence's ratios, each clipped in its logarithm, times the mean advantage; on every token."""
    gap, count = log_probs - old, mask.sum(-1, keepdim=True) + GEO_EPSILON
    sign = advantages.sign()
    least = sign * torch.minimum(sign * gap, sign * gap.clamp(-low, high))
    ratio = ((least * mask).sum(-1, keepdim=True) / count).exp()
    return (-(advantages * mask).sum(-1, keepdim=True) / count * ratio).expand_as(log_probs)


def log_likelihood(log_probs: Tensor, advantages: Tensor) -> Tensor:
    """GPG: REINFORCE, without a ratio and without a clip."""
    return -log_probs * advantages


def soft_gate(log_probs: Tensor, old: Tensor, advantages: Tensor, good: float, bad: float) -> Tensor:
    """SAPO: a sigmoid of the ratio in place of a clip, whose temperature is `good` for good answers and `bad` for others."""
    ratio = (log_probs - old).clamp(-LOG_RATIO_MAX, LOG_RATIO_MAX).exp()
    heat = torch.where(advantages > 0, torch.full_like(ratio, good), torch.full_like(ratio, bad))
    return -advantages * (heat * (ratio - 1)).sigmoid() * 4 / heat


def likelihood_within_bounds(
    log_probs: Tensor, old: Tensor, advantages: Tensor, near: Tensor, most: float | None
) -> Tensor:
    """DPPO: the ratio, of `most` at most, is a weight without gradient, and a token that moved too far teaches nothing (`near` 0)."""
    ratio = (
        (log_probs - old).clamp(-LOG_RATIO_MAX, LOG_RATIO_MAX).exp().clamp(max=inf if most is None else most).detach()
    )
    return -advantages * ratio * log_probs * near


def variation_mask(log_probs: Tensor, old: Tensor, advantages: Tensor, low: float, high: float) -> Tensor:
    """1 where the token's probability moved by no more than `low` down or `high` up, in the direction that the advantage asks for."""
    moved = (log_probs.exp() - old.exp()).detach()
    return torch.where(advantages > 0, moved <= high, moved >= -low).to(log_probs.dtype)


def divergence_mask(log_probs: Tensor, old: Tensor, advantages: Tensor, low: float, high: float) -> Tensor:
    """1 where the divergence of the token from all others is no more than the bound, or the token moved against the advantage."""
    own, before = log_probs.detach().exp(), old.exp()
    others = ((1 - before + DIVERGENCE_EPSILON) / (1 - own + DIVERGENCE_EPSILON)).log()
    limit = before * (old - log_probs.detach()) + (1 - before) * others
    good, bad = (limit <= high) | (own <= before), (limit <= low) | (own >= before)
    return torch.where(advantages > 0, good, bad).to(log_probs.dtype)


def likelihood_less_square(log_probs: Tensor, old: Tensor, advantages: Tensor, beta: float) -> Tensor:
    """DRO: the log-likelihood less a square of the log-ratio."""
    return -(log_probs * advantages - 0.5 * beta * (log_probs - old).square())


def scaled_likelihood(log_probs: Tensor, advantages: Tensor, tau: float) -> Tensor:
    """OPMD: REINFORCE divided by 1 + `tau`, which pulls towards the policy itself."""
    return -advantages * log_probs / (1 + tau)


def tapered_likelihood(log_probs: Tensor, old: Tensor, advantages: Tensor, threshold: float) -> Tensor:
    """TOPR: good answers count in full, those up to `threshold` with the ratio, of 1 at most, as a weight without gradient."""
    weight = torch.where(advantages <= threshold, (log_probs - old).exp().clamp(0, 1), torch.ones_like(log_probs))
    return -weight.detach() * advantages * log_probs


def tapered_by_score(
    log_probs: Tensor, old: Tensor, advantages: Tensor, good: Tensor, weights: tuple[float, float]
) -> Tensor:
    """TOPR as ROLL has it: answers with a score count in full, those without with the ratio, of 1 at most, as a weight without gradient.

    `good` [sequences, 1] is 1 for an answer with a score above 0; `weights` are those of good answers and of others.
    """
    ratio = (log_probs - old).exp().clamp(0, 1)
    weight = torch.where(good > 0, torch.full_like(ratio, weights[0]), weights[1] * ratio)
    return -weight.detach() * advantages * log_probs


def truncated_likelihood(log_probs: Tensor, old: Tensor, advantages: Tensor) -> Tensor:
    """Truncated importance sampling as ROLL has it: the ratio, of 1 at most, is a weight without gradient."""
    return -(log_probs - old).exp().clamp(0, 1).detach() * advantages * log_probs


def log_ratio_in_range(log_probs: Tensor, old: Tensor, advantages: Tensor, epsilon: float) -> Tensor:
    """sPPO: the log-ratio of tokens whose ratio is from 1 / (1 + epsilon) to 1 + epsilon; others teach nothing."""
    ratio = (log_probs - old).detach().exp()
    inside = (ratio >= 1 / (1 + epsilon)) & (ratio <= 1 + epsilon)
    return -advantages * (log_probs - old) * inside


def kl(log_probs: Tensor, reference: Tensor, estimator: Estimator) -> Tensor:
    """Schulman's estimators of KL(policy, reference) from sampled tokens; k3_clamped is bounded at 10 (H36)."""
    gap = log_probs - reference
    match estimator:
        case "k1":
            return gap
        case "abs":
            return gap.abs()
        case "k2":
            return 0.5 * gap.square()
        case "k3":
            return (-gap).exp() + gap - 1
        case "k3_clamped":
            back = (-gap).clamp(-LOG_RATIO_MAX, LOG_RATIO_MAX)
            return (back.exp() - back - 1).clamp(-KL_MAX, KL_MAX)


def entropy(logits: Tensor) -> Tensor:
    """The entropy of each position's distribution: logits [..., vocabulary] to [...]."""
    return torch.logsumexp(logits, dim=-1) - (logits.softmax(dim=-1) * logits).sum(dim=-1)


def capped(loss: Tensor, most: float) -> Tensor:
    """No token's loss above `most`, whatever its advantage: ChatLearn's final_clip_ratio."""
    return loss.clamp(max=most)


def value(values: Tensor, old: Tensor, returns: Tensor, clip: float) -> Tensor:
    """Half the squared error of a critic whose values move by at most `clip`; the larger of both errors counts."""
    moved = old + (values - old).clamp(-clip, clip)
    return 0.5 * torch.maximum((values - returns) ** 2, (moved - returns) ** 2)


def aggregate(loss: Tensor, mask: Tensor, how: str, whole: Tensor, length: int) -> Tensor:
    """The part of a micro-batch in the mean over a whole update: adding up all micro-batches gives the update's loss.

    `whole` is the number that the update divides by, from `denominator` over its full mask, so the result does not
    depend on how the update was cut. `how` is the plan's word; those over a length divide by `length`, in tokens.
    """
    if how == "seq-mean-token-mean":
        return ((loss * mask).sum(-1) / mask.sum(-1).clamp(min=1)).sum() / whole
    return (loss * mask).sum() / whole / (length if how in OVER_LENGTH else 1)


def denominator(mask: Tensor, how: str) -> Tensor:
    """Tokens that count, or sequences with at least one such token; never below 1, and 1 where nothing is averaged."""
    if how in SUMS:
        return mask.new_ones(())
    counted = mask.sum() if how == "token-mean" else (mask.sum(-1) > 0).sum()
    return counted.clamp(min=1)


def divisor(scope: str, part: Tensor, ranks: int, share: float, parts: int) -> Tensor:
    """Give the number that a micro-batch's loss is divided by, where that loss is a mean over its own `part` and ranks average.

    The means are added up, each by its `share` (the rank's sequences over its own), or each counts as one of `parts` alike,
    as in Megatron's schedules.
    """
    weight = {"micro_batch_sum": 1.0, "micro_batch_mean": share, "micro_batch_alike": float(parts)}[scope]
    return part * ranks * weight


@dataclass(frozen=True, slots=True)
class Bounds:
    """The range that a ratio may move in; `dual` bounds the loss of bad answers, None where nothing does. `own` are a loss's own arguments,
    and `good` [sequences, 1] is 1 for answers with a score above 0."""

    low: float
    high: float
    dual: float | None
    own: Mapping[str, Any] = field(default_factory=dict)
    good: Tensor | None = None


def topr_weights(words: Mapping[str, Any]) -> tuple[float, float]:
    """Return the weights of good answers and of others, 1 where nobody says another."""
    return words.get("topr_positive_weight", 1.0), words.get("topr_negative_weight", 1.0)


POLICY: dict[str, Callable[[Tensor, Tensor, Tensor, Tensor, Bounds], Tensor]] = {
    "ppo": lambda own, old, gains, _, by: clipped(own, old, gains, by.low, by.high, by.dual),
    "gspo": lambda own, old, gains, mask, by: sequence_clipped(own, old, gains, mask, by.low, by.high, by.dual),
    "cispo": lambda own, old, gains, _, by: weighted_log_likelihood(own, old, gains, by.low, by.high),
    "geo_mean": lambda own, old, gains, mask, by: geometric_mean(own, old, gains, mask, by.low, by.high),
    "gpg": lambda own, _, gains, __, ___: log_likelihood(own, gains),
    "sapo": lambda own, old, gains, _, by: soft_gate(own, old, gains, by.own["tau_pos"], by.own["tau_neg"]),
    "dppo_tv": lambda own, old, gains, _, by: likelihood_within_bounds(
        own, old, gains, variation_mask(own, old, gains, by.low, by.high), by.dual
    ),
    "dppo_kl": lambda own, old, gains, _, by: likelihood_within_bounds(
        own, old, gains, divergence_mask(own, old, gains, by.low, by.high), by.dual
    ),
    "dro": lambda own, old, gains, _, by: likelihood_less_square(own, old, gains, by.own["dro_beta"]),
    "opmd": lambda own, _, gains, __, by: scaled_likelihood(own, gains, by.own.get("tau", 1.0)),
    "topr": lambda own, old, gains, _, by: tapered_likelihood(own, old, gains, by.own.get("advantage_threshold", 0.0)),
    "sppo": lambda own, old, gains, _, by: log_ratio_in_range(own, old, gains, by.own.get("epsilon", 0.3)),
    "rec": lambda own, old, gains, _, by: rec(own, old, gains, **by.own),
    "topr_by_reward": lambda own, old, gains, _, by: tapered_by_score(
        own, old, gains, torch.ones_like(gains[:, :1]) if by.good is None else by.good, topr_weights(by.own)
    ),
    "tis": lambda own, old, gains, _, __: truncated_likelihood(own, old, gains),
    "kimi15": lambda own, old, gains, _, __: likelihood_less_square(own, old, gains, KIMI_TAU),
}
"""The policy loss of each family of the plan, token by token: log-probs now and before, advantages, what counts, bounds."""
