"""Attention over sequences that lie one behind the other in a row: each attends to itself, with no mask of the whole row.

Such a mask has a place for every pair of the row's tokens, and the attention that reads one has none of its fast forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

NAME = "packed sequences"
"""The name under which transformers knows the attention of this module."""
KINDS = {"full_attention", "sliding_attention"}
"""Layers whose attention this is."""
_LENGTHS = list[int]()
"""Tokens of each sequence in the row that the model of this process reads; empty where each sequence has a row of its own."""


def use_packed_attention(model: Any) -> None:
    """Give a model of such layers this attention, where it would have PyTorch's own."""
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    text = model.config.get_text_config()
    kinds = {*(getattr(text, "layer_types", None) or KINDS)}
    if text._attn_implementation == "sdpa" and kinds <= KINDS:
        ALL_ATTENTION_FUNCTIONS.register(NAME, attention)
        model.set_attn_implementation(NAME if text is model.config else {"text_config": NAME})


def set_lengths(lengths: Sequence[int]) -> None:
    """Say how many tokens each sequence has in the row that comes next; its backward pass reads them too."""
    _LENGTHS[:] = lengths


def attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **more: Any
) -> tuple[Tensor, None]:
    """Attend with arguments [1, heads, tokens, width] to [1, tokens, heads, width], as transformers' attention does."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    lengths = _LENGTHS or [query.shape[2]]
    window = more.get("sliding_window")
    outputs = []
    for part in zip(*(heads.split(lengths, 2) for heads in (query, key, value)), strict=True):
        length = part[0].shape[2]
        banded = _band(length, window, query.device) if window is not None and window < length else mask
        outputs.append(sdpa_attention_forward(module, *part, banded, **more)[0])
    return torch.cat(outputs, 1), None


def _band(length: int, window: int, device: torch.device) -> Tensor:
    """Return the mask in which a token sees itself and the `window` - 1 before it [1, 1, tokens, tokens]."""
    positions = torch.arange(length, device=device)
    back = positions[:, None] - positions[None, :]
    return ((back >= 0) & (back < window))[None, None]
