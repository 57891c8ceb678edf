"""Statistics over the tokens of answers only. All tensors are [sequences, tokens]; a mask is 1 where a token counts."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

WHITEN_EPSILON = 1e-8


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """The mean of what counts; 0 where nothing does."""
    return (values * mask).sum() / mask.sum().clamp(min=1)


def masked_variance(values: Tensor, mask: Tensor) -> Tensor:
    """The variance of a sample (divided by n - 1) of what counts. Raises ValueError for fewer than two tokens."""
    count = mask.sum()
    if count < 2:
        raise ValueError("a variance needs two tokens")
    return (((values - masked_mean(values, mask)) ** 2) * mask).sum() / (count - 1)


def whitened(values: Tensor, mask: Tensor) -> Tensor:
    """Mean 0 and variance 1 over what counts."""
    scale = torch.rsqrt(masked_variance(values, mask) + WHITEN_EPSILON)
    return (values - masked_mean(values, mask)) * scale


def whitened_in_parts(values: Tensor, mask: Tensor, parts: Sequence[Tensor]) -> Tensor:
    """Whiten the sequences of each part by themselves; a part of which nothing counts stays as it is. `parts` hold numbers of sequences."""
    result = values.clone()
    for part in parts:
        if mask[part].sum() > 0:
            result[part] = whitened(values[part], mask[part])
    return result
