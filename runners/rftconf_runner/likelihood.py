"""The log-probs of tokens from logits as they are, and each distribution's entropy, without a copy of the logits in 32 bits.

Of a large vocabulary the logits are the largest tensor of an update. Beside them autograd's own operations keep a copy in 32 bits,
its log-softmax and the gradients of both, 16 bytes for each of the logits; this keeps the gradient alone, in the logits' own type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

AT_A_TIME = 1 << 26
"""Logits that are worked on in 32 bits at once: 256 MiB a tensor, which keeps a GPU busy."""


def log_probs_and_entropy(
    logits: Tensor, tokens: Tensor, temperature: float, *, entropic: bool
) -> tuple[Tensor, Tensor]:
    """Return the log-probs that `logits` [..., vocabulary] over `temperature` give `tokens` [...], in at least 32 bits, and the entropy
    of each of the distributions, or 0 where it is not asked for."""
    values: tuple[Tensor, Tensor] = _LogProbs.apply(logits, tokens, temperature, entropic)
    return values


def collisions(logits: Tensor, temperature: float) -> Tensor:
    """Return the sum of squares of each distribution's probabilities: `logits` [..., vocabulary] to [...]."""
    wide = logits.to(_wide(logits)) / temperature
    return (torch.logsumexp(2 * wide, -1) - 2 * torch.logsumexp(wide, -1)).exp()


class _LogProbs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, tokens: Tensor, temperature: float, entropic: bool) -> tuple[Tensor, Tensor]:
        rows, columns = logits.flatten(0, -2), tokens.flatten()
        own = logits.new_empty(len(rows), dtype=_wide(logits))
        entropy = torch.zeros_like(own)
        for part in parts_of(*rows.shape):
            known = _known(rows[part], temperature)
            own[part] = known.gather(-1, columns[part].unsqueeze(-1)).squeeze(-1)
            if entropic:
                entropy[part] = -(known.exp() * known).sum(-1)
        ctx.save_for_backward(logits, tokens, entropy)
        ctx.how = temperature, entropic
        return own.view(tokens.shape), entropy.view(tokens.shape)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        logits, tokens, entropy = ctx.saved_tensors
        flat = (value.flatten() for value in (tokens, entropy, *gradients))
        return log_prob_gradients(logits.flatten(0, -2), *flat, *ctx.how).view(logits.shape), None, None, None


def log_prob_gradients(
    rows: Tensor, tokens: Tensor, entropy: Tensor, own: Tensor, of_entropy: Tensor, temperature: float, entropic: bool
) -> Tensor:
    """Return the gradient of logits [places, vocabulary], in their own type, from those of log-probs and of entropies [places]."""
    logit_gradients = torch.empty_like(rows)
    own, of_entropy = own / temperature, of_entropy / temperature
    for part in parts_of(*rows.shape):
        # of a token's log-prob: 1 at the token, less the distribution
        known = _known(rows[part], temperature)
        share = known.exp()
        slope = -own[part].unsqueeze(-1)
        if entropic:
            slope = slope - of_entropy[part].unsqueeze(-1) * (known + entropy[part].unsqueeze(-1))
        taken = tokens[part].unsqueeze(-1)
        chosen = (share.gather(-1, taken) * slope.expand_as(share).gather(-1, taken)) + own[part].unsqueeze(-1)
        torch.mul(share, slope, out=share)
        logit_gradients[part] = share
        logit_gradients[part].scatter_(-1, taken, chosen.to(logit_gradients.dtype))
    return logit_gradients


def _wide(logits: Tensor) -> torch.dtype:
    return torch.promote_types(logits.dtype, torch.float32)


def _known(rows: Tensor, temperature: float) -> Tensor:
    """Log-softmax; where nothing is divided, the kernel itself reads the narrow type."""
    if temperature == 1:
        return torch.log_softmax(rows, -1, dtype=_wide(rows))
    return torch.log_softmax(rows.to(_wide(rows)) / temperature, -1)


def parts_of(places: int, vocabulary: int) -> Iterator[slice]:
    """Yield parts of the places, each of at most `AT_A_TIME` logits."""
    each = max(AT_A_TIME // vocabulary, 1)
    return (slice(start, start + each) for start in range(0, places, each))
