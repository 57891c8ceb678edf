"""This module draws a period's answers once more, with replacement, by weights of their rewards (PF-PPO)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import torch
from torch import Tensor

LEAST = 1e-8
BEST, OTHER = 0.4, 0.1
"""The weights of answers with the highest reward and of others, where the way is `max_random`."""
Item = TypeVar("Item")


def weights(rewards: Tensor, method: str, power: float) -> Tensor:
    """Weigh answers: a power of the reward's size, the best and the worst alone, or the best more than others."""
    if method == "pow":
        own = rewards.abs() ** power
    elif method == "max_min":
        own = ((rewards == rewards.max()) | (rewards == rewards.min())).to(rewards.dtype)
    else:
        own = torch.where(rewards == rewards.max(), BEST, OTHER).to(rewards.dtype)
    return (own + LEAST).clamp(min=LEAST)


def resampled(items: Sequence[Item], rewards: Sequence[float], way: tuple[str, float] | None, seed: int) -> list[Item]:
    """Draw as many items as there are, by the weights of their rewards; all of them once where there is no `way`."""
    if way is None:
        return list(items)
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.multinomial(weights(torch.tensor(rewards), *way), len(items), replacement=True, generator=generator)
    return [items[index] for index in chosen.tolist()]
