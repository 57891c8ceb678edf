"""REC, Trinity's family of group-relative losses: REINFORCE with tokens left out by their ratio, weights and a regularizer."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def rec(
    log_probs: Tensor, old: Tensor, advantages: Tensor, clip_mode: str = "none", weight: str = "none", regularizer: str = "none",
    epsilon_low: float = 0.2, epsilon_high: float = 0.2, regularizer_coef: float = 0.0, temp: float = 1.0, **_: Any,
) -> Tensor:  # fmt: skip
    """The loss of each token. A one-sided clip leaves out what already moved as the advantage asks for."""
    ratio = (log_probs - old).detach().exp()
    not_above, not_below = ratio <= 1 + epsilon_high, ratio >= 1 - epsilon_low
    masks = {
        "none": torch.ones_like(not_above),
        "two-side": not_above & not_below,
        "one-side": (not_above & (advantages >= 0)) | (not_below & (advantages <= 0)),
    }[clip_mode]
    weights = {"importance_sampling": ratio, "advantage": (advantages / temp).exp()}
    loss = -advantages * weights.get(weight, torch.ones_like(ratio)) * log_probs * masks
    if regularizer == "forward-kl":
        return loss - regularizer_coef * log_probs
    return loss + regularizer_coef * (log_probs - old).square() if regularizer == "k2" else loss
