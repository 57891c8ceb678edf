"""A small decoder in plain PyTorch, of the sizes that an `Architecture` has; imported only where torch is."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from rftconf.budget.facts.architecture import Architecture, Attention, Dense


class Norm(nn.Module):
    """RMSNorm as Transformers writes it."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * wide.to(x.dtype)


class Block(nn.Module):
    """Attention and a gated feed-forward part."""

    def __init__(self, hidden: int, attention: Attention, width: int) -> None:
        super().__init__()
        self.attention = attention
        self.before, self.after = Norm(hidden), Norm(hidden)
        self.q, self.k, self.v = (
            nn.Linear(hidden, n, bias=False) for n in (attention.query, attention.key, attention.key)
        )
        self.o = nn.Linear(attention.query, hidden, bias=False)
        self.gate, self.up = nn.Linear(hidden, width, bias=False), nn.Linear(hidden, width, bias=False)
        self.down = nn.Linear(width, hidden, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, tokens, _ = x.shape
        y, size = self.before(x), self.attention.head_dim
        q, k, v = (p(y).view(rows, tokens, -1, size).transpose(1, 2) for p in (self.q, self.k, self.v))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(mixed.transpose(1, 2).reshape(rows, tokens, -1))
        y = self.after(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    """The whole of it, every layer checkpointed or none."""

    def __init__(self, arch: Architecture, *, checkpointing: bool = True) -> None:
        super().__init__()
        (layers,) = arch.layers
        assert isinstance(layers.mixer, Attention)
        assert isinstance(layers.feed_forward, Dense)
        self.checkpointing = checkpointing
        self.embed = nn.Embedding(arch.vocabulary, arch.hidden)
        self.layers = nn.ModuleList(
            Block(arch.hidden, layers.mixer, layers.feed_forward.width) for _ in range(layers.count)
        )
        self.norm, self.head = Norm(arch.hidden), nn.Linear(arch.hidden, arch.vocabulary, bias=False)

    def forward(self, ids: torch.Tensor, chunk: int = 0) -> torch.Tensor:
        """The mean cross-entropy of predicting each token from itself, by chunks of `chunk` tokens where that is not 0."""
        x = self.embed(ids)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.checkpointing else layer(x)
        x, ids = self.norm(x).flatten(0, 1), ids.flatten()
        if not chunk:
            return self._loss(x, ids) / len(ids)
        parts = zip(x.split(chunk), ids.split(chunk), strict=True)
        return sum(checkpoint(self._loss, h, i, use_reentrant=False) for h, i in parts) / len(ids)

    def _loss(self, hidden: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(self.head(hidden).float(), ids, reduction="sum")


def loss_of(model: nn.Module, ids: torch.Tensor, chunk: int = 0) -> torch.Tensor:
    """The model's loss on these tokens."""
    return model(ids, chunk)
