"""Importance weights for answers that other weights drew than those that learn from them, or the same in another precision."""

from __future__ import annotations

import torch
from torch import Tensor

from rftconf_runner.job import Correction

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


def _normalized(weights: Tensor, mask: Tensor, level: str) -> Tensor:
    counts = mask.sum(-1)
    if level == "sequence":
        each = weights.sum(-1) / counts.clamp(min=1)
        mean = each.sum() / (counts > 0).sum().clamp(min=1)
    else:
        mean = weights.sum() / counts.sum().clamp(min=1)
    return weights / mean if mean > SMALLEST_MEAN else weights
