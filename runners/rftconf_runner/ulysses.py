"""This module shares sequences among ranks: each has a part of every sequence's tokens, and within attention a part of the heads.

Ulysses: before attention all ranks of a group exchange parts of sequences for heads, each attends over whole sequences with its
heads, and afterwards they exchange back. Every rank of a group computes the same loss from the same numbers of all tokens,
and its gradients are of its own part; what FSDP adds up over all ranks is the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor
from torch import distributed as dist
from torch.nn.functional import pad

from rftconf_runner import packed_attention
from rftconf_runner.chunked_head import Question, ask, head_of
from rftconf_runner.sequences import HeadOutput, Table, head_output, keeps_places

NAME = "ulysses"
"""The name under which transformers knows the attention of this module."""


class Sequences:
    """One rank's part of sequences that `size` ranks share; the `first` of them returns their results. An update is cut into
    `shares`, of which this is number `share`. All ranks are called in the same order."""

    def __init__(self, rank: int, ranks: int, size: int) -> None:
        self.size, self.at, self.first = size, rank % size, rank % size == 0
        self.share, self.shares = rank // size, ranks // size
        self.group: Any = None
        if size > 1:
            groups = [dist.new_group([*range(start, start + size)]) for start in range(0, ranks, size)]
            self.group = groups[rank // size]

    def ready(self, model: Any) -> Any:
        """Give the model the attention of this module, where several ranks share a sequence; else the one of sequences in a row."""
        if self.size == 1:
            packed_attention.use_packed_attention(model)
        else:
            from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

            ALL_ATTENTION_FUNCTIONS.register(NAME, self._attention)
            model.set_attn_implementation(NAME)
        return model

    def answer(
        self, model: Any, rows: Table, question: Question
    ) -> tuple[tuple[Tensor, Tensor], Callable[[Tensor], Tensor]]:
        """Return a question's two numbers for each place, and what turns numbers for places into those of the answers' tokens. A head that can is
        asked itself, where this rank has whole sequences."""
        head = head_of(model) if self.size == 1 and keeps_places(model) else None
        if head:
            with ask(head, question):
                output = head_output(model, rows)
                if (numbers := head.answer) is not None and output.logits is numbers:
                    log_probs, beside = numbers.unbind(-1)
                    return (log_probs, beside), output.to_answers
            head.is_output = False  # the model has changed what its head says, and only that is its own
        output = self.head_output(model, rows)
        return question.answer(output.logits, output.tokens), output.to_answers

    def head_output(self, model: Any, rows: Table) -> HeadOutput:
        """Run a model on this rank's part of each sequence; `to_answers` puts the parts of all ranks together."""
        if self.size == 1:
            return head_output(model, rows)
        length = rows.ids.shape[1]
        own = -(-length // self.size)
        begin, padding = self.at * own, own * self.size - length
        whole = torch.arange(own * self.size, device=rows.ids.device).expand(len(rows.ids), -1)
        positions = pad(rows.positions, (0, padding)) if rows.lengths else whole
        packed_attention.set_lengths((*rows.lengths, padding) if rows.lengths and padding else rows.lengths)
        part = slice(begin, begin + own)
        output = model(
            input_ids=pad(rows.ids, (0, padding))[:, part], position_ids=positions[:, part], use_cache=False
        ).logits
        row, columns = (rows.places - 1) // length, (rows.places - 1) % length
        ours = (columns >= begin) & (columns < begin + own)
        tokens = rows.ids.flatten()[rows.places]
        together = output[row, (columns - begin).clamp(0, own - 1)]
        return HeadOutput(together, tokens, lambda values: _Whole.apply(torch.where(ours, values, 0.0), self.group))

    def _attention(
        self, module: Any, query: Tensor, key: Tensor, value: Tensor, _: Any, **more: Any
    ) -> tuple[Tensor, None]:
        """Attend with arguments [sequences, heads, tokens, width] to [sequences, tokens, heads, width], as transformers' attention does."""
        groups = getattr(module, "num_key_value_groups", 1)
        if query.shape[1] % self.size:
            raise ValueError(
                f"{query.shape[1]} attention heads are not shared by the {self.size} ranks of a sequence (placement.actor.sp)"
            )
        if key.shape[1] % self.size:
            key, value, groups = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1), 1
        query, key, value = (_Exchange.apply(heads, self.group, 1, 2) for heads in (query, key, value))
        like = SimpleNamespace(num_key_value_groups=groups, is_causal=getattr(module, "is_causal", True))
        output, _ = packed_attention.attention(like, query, key, value, None, **more)
        return _Exchange.apply(output, self.group, 1, 2), None


def _exchanged(value: Tensor, group: Any, scatter: int, gather: int) -> Tensor:
    """Cut `value` along `scatter`, send each rank its part, and join the parts received along `gather`."""
    parts = torch.stack(value.chunk(group.size(), scatter)).contiguous()
    received = torch.empty_like(parts)
    dist.all_to_all_single(received, parts, group=group)
    return torch.cat([*received.unbind(0)], gather)


class _Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: Tensor, group: Any, scatter: int, gather: int) -> Tensor:
        ctx.how = group, gather, scatter
        return _exchanged(value, group, scatter, gather)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        return _exchanged(gradients[0], *ctx.how), None, None, None


class _Whole(torch.autograd.Function):
    """Adds up numbers of which each rank holds some. All ranks compute the same loss from the sum, so each has its whole gradient."""

    @staticmethod
    def forward(_: Any, value: Tensor, group: Any) -> Tensor:
        gathered = value.clone()
        dist.all_reduce(gathered, group=group)
        return gathered

    @staticmethod
    def backward(_: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0], None
