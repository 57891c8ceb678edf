"""Importance weights for answers that other weights drew than those that learn from them, or the same in another precision."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import torch
from torch import Tensor

from rftconf_runner.job import Correction, Rejection

LOG_RATIO_MAX = 20.0
SMALLEST_MEAN = 1e-8
"""Weights whose mean is less are not divided by it."""


def importance(old: Tensor, drawn: Tensor, mask: Tensor, correction: Correction) -> Tensor:
    """exp(old - drawn) of each token, or of the sequence on each of its tokens, truncated (Yao et al., 2025): [sequences, tokens].

    `old` are the trainer's log-probs, `drawn` those that the engine drew with.
    """
    ratio = (old - drawn) * mask
    if correction.level == "sequence":
        ratio = ratio.sum(-1, keepdim=True).expand_as(mask)
    weights = ratio.clamp(-LOG_RATIO_MAX, LOG_RATIO_MAX).exp() * mask
    if correction.lower:
        inside = (weights >= correction.lower) & (weights <= correction.upper)
        weights = torch.where(inside, weights, torch.zeros_like(weights))
    else:
        weights = weights.clamp(max=correction.upper)
    return _normalized(weights, mask, correction.level) if correction.normalize else weights


def near_engine(own: Tensor, drawn: Tensor, mask: Tensor, rejections: Sequence[Rejection]) -> Tensor:
    """Return 1 where no rejection takes a token out, else 0: [sequences, tokens]. `own` are log-probs of the weights that learn."""
    gap = (own - drawn).clamp(-LOG_RATIO_MAX, LOG_RATIO_MAX)
    near = torch.ones_like(mask)
    for rejection in rejections:
        estimate = {"k1": -gap, "k2": 0.5 * gap.square(), "k3": gap.exp() - 1 - gap}[rejection.estimator]
        if rejection.level != "token":
            estimate = _of_answers(estimate, mask, rejection.level).expand_as(mask)
        near = near * ((estimate >= rejection.least) & (estimate <= rejection.most))
    return near


def _of_answers(estimate: Tensor, mask: Tensor, level: str) -> Tensor:
    if level == "max":
        largest = estimate.masked_fill(~mask.bool(), -inf).amax(-1, keepdim=True)
        return torch.where(largest == -inf, torch.zeros_like(largest), largest)
    added = (estimate * mask).sum(-1, keepdim=True)
    return added / mask.sum(-1, keepdim=True).clamp(min=1) if level == "mean" else added


def sum_and_count(weights: Tensor, mask: Tensor, level: str) -> Tensor:
    """Return the two numbers of which the mean weight is made: over tokens, or over answers."""
    counts = mask.sum(-1)
    if level == "token":
        return torch.stack((weights.sum(), counts.sum()))
    return torch.stack(((weights.sum(-1) / counts.clamp(min=1)).sum(), (counts > 0).sum()))


def _normalized(weights: Tensor, mask: Tensor, level: str) -> Tensor:
    added, count = sum_and_count(weights, mask, level)
    return by_mean(weights, added / count.clamp(min=1))


def by_mean(weights: Tensor, mean: Tensor) -> Tensor:
    """Divide weights by their mean, but by none that is as good as 0."""
    return weights / mean if mean > SMALLEST_MEAN else weights
