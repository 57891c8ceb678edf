"""A language model's head that says how likely tokens are. Where its logits were too many at once it works on a part of the tokens at a time.

Backwards it computes the logits of a part again and adds up the weight's gradient in 32 bits: a head of three products of matrices becomes
one of four, and no tensor is as large as all tokens times the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

from rftconf_runner.likelihood import collisions, log_prob_gradients, log_probs_and_entropy, parts_of

MOST = 1 << 31
"""Logits that are computed at once: with their gradient 8 GiB in 16 bits. Fewer are not worth a fourth product."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about `tokens` [rows, places]: their log-probs at a temperature, and beside them each distribution's entropy, 0 where that
    is not needed, or with `squared` the sum of its squares."""

    tokens: Tensor
    temperature: float
    entropic: bool = False
    squared: bool = False

    def answer(self, logits: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return both numbers from logits [..., vocabulary] for tokens [...]."""
        log_probs, entropy = log_probs_and_entropy(logits, tokens, self.temperature, entropic=self.entropic)
        return log_probs, collisions(logits, self.temperature) if self.squared else entropy


class Head(torch.nn.Linear):
    """A head that answers a question with its two numbers for each place instead of logits, where it is asked one. It knows its
    `answer` again, which a model that changes its head's logits does not return as it is: such a head is asked no more."""

    question: Question | None = None
    answer: Tensor | None = None
    is_output = True

    def forward(self, hidden: Tensor) -> Tensor:
        """Return logits, or the two numbers [rows, places, 2]."""
        if self.question is None:
            return super().forward(hidden)
        self.answer = torch.stack(self._numbers(hidden, self.question), -1)
        return self.answer

    def _numbers(self, hidden: Tensor, question: Question) -> tuple[Tensor, Tensor]:
        places, tokens = hidden.flatten(0, -2), question.tokens.flatten()
        if len(places) * self.out_features <= MOST:
            return question.answer(super().forward(hidden), question.tokens)
        if question.squared:  # which nothing learns from
            answers = [
                question.answer(super(Head, self).forward(places[part]), tokens[part])
                for part in parts_of(len(places), self.out_features)
            ]
            log_probs, squares = (torch.cat(numbers) for numbers in zip(*answers, strict=True))
            return log_probs.view_as(question.tokens), squares.view_as(question.tokens)
        values: tuple[Tensor, Tensor] = _LinearLogProbs.apply(
            places, self.weight, self.bias, tokens, question.temperature, question.entropic
        )
        return values[0].view_as(question.tokens), values[1].view_as(question.tokens)


def prepare_head(model: Any) -> Any:
    """Have a model's plain head answer questions."""
    head = model.get_output_embeddings()
    if type(head) is torch.nn.Linear:
        head.__class__ = Head
    return model


def head_of(model: Any) -> Head | None:
    """Return the head of a model that can be asked; None where it cannot."""
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    return head if isinstance(head, Head) and head.is_output else None


@contextmanager
def ask(head: Head, question: Question) -> Iterator[None]:
    """Ask a head while its model is called."""
    head.question = question
    try:
        yield
    finally:
        head.question = head.answer = None


class _LinearLogProbs(torch.autograd.Function):
    """`likelihood`'s log-probs and entropy of the logits that a head [vocabulary, width] gives hidden states [places, width]."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        tokens: Tensor,
        temperature: float,
        entropic: bool,
    ) -> tuple[Tensor, Tensor]:
        answers = [
            log_probs_and_entropy(linear(hidden[part], weight, bias), tokens[part], temperature, entropic=entropic)
            for part in parts_of(len(hidden), len(weight))
        ]
        log_probs, entropy = (torch.cat(numbers) for numbers in zip(*answers, strict=True))
        ctx.save_for_backward(hidden, weight, bias, tokens, entropy)
        ctx.how = temperature, entropic
        return log_probs, entropy

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, bias, tokens, entropy = ctx.saved_tensors
        wide = torch.promote_types(weight.dtype, torch.float32)
        of_hidden = torch.empty_like(hidden)
        learns, learns_bias = ctx.needs_input_grad[1], bias is not None and ctx.needs_input_grad[2]
        of_weight = torch.zeros_like(weight, dtype=wide) if learns else None
        of_bias = torch.zeros_like(bias, dtype=wide) if learns_bias else None
        for part in parts_of(len(hidden), len(weight)):
            logits = linear(hidden[part], weight, bias)
            own = (gradient[part] for gradient in gradients)
            slopes = log_prob_gradients(logits, tokens[part], entropy[part], *own, *ctx.how)
            of_hidden[part] = slopes @ weight
            if of_weight is not None:
                of_weight += slopes.t() @ hidden[part]
            if of_bias is not None:
                of_bias += slopes.sum(0, dtype=wide)
        narrow = (None if value is None else value.to(weight.dtype) for value in (of_weight, of_bias))
        return of_hidden, *narrow, None, None, None
