"""Sequences as tensors: prompt and answer side by side, padded or one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

Row = tuple[float, ...]
"""A number for each token of an answer."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One sequence: the prompt's and the answer's tokens, the engine's version that drew the answer and the log-probs it
    drew with; `number` is the sequence's own in the run."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    version: int
    number: int = 0
    drawn: Row = ()

    def __len__(self) -> int:
        """Tokens of prompt and answer."""
        return len(self.prompt) + len(self.answer)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A sample with what is learned from it, a number for each token of the answer.

    `reference` is empty without a KL loss, `values` and `returns` without a critic, `weights` without a correction.
    """

    sample: Sample
    advantages: Row
    old: Row
    reference: Row = ()
    values: Row = ()
    returns: Row = ()
    weights: Row = ()

    def __len__(self) -> int:
        """Tokens of prompt and answer."""
        return len(self.sample)


@dataclass(frozen=True, slots=True)
class Table:
    """Token ids and positions of one shape; the answers' tokens by their `places` in the ids row after row, and their mask,
    both [sequences, longest answer]."""

    ids: Tensor
    positions: Tensor
    places: Tensor
    mask: Tensor

    def to(self, device: str) -> Table:
        """The same on a device."""
        parts = (self.ids, self.positions, self.places, self.mask)
        return Table(*(tensor.to(device) for tensor in parts))


def mask_of(samples: Sequence[Sample]) -> Tensor:
    """1 where an answer has a token: [sequences, longest answer]."""
    longest = max(len(sample.answer) for sample in samples)
    return (torch.arange(longest) < torch.tensor([[len(sample.answer)] for sample in samples])).float()


def table(samples: Sequence[Sample], *, packs: bool) -> Table:
    """A row for each sequence, padded on the right; or all of them in one row, one behind the other."""
    longest, whole = max(map(len, samples)), sum(map(len, samples))
    mask, starts = mask_of(samples), [longest * at for at in range(len(samples))]
    if packs:
        starts = [0, *accumulate(map(len, samples))][:-1]
    ids = torch.zeros(whole if packs else longest * len(samples), dtype=torch.long)
    positions = torch.zeros_like(ids)
    places = torch.ones(mask.shape, dtype=torch.long)
    for at, (sample, start) in enumerate(zip(samples, starts, strict=True)):
        own = slice(start, start + len(sample))
        ids[own] = torch.tensor((*sample.prompt, *sample.answer))
        positions[own] = torch.arange(len(sample))
        places[at, : len(sample.answer)] = torch.arange(start + len(sample.prompt), start + len(sample))
    rows = 1 if packs else len(samples)
    return Table(ids.view(rows, -1), positions.view(rows, -1), places, mask)


def before(model: Any, rows: Table) -> Tensor:
    """What a model's head says at the token before each of the answers' [sequences, longest answer, head], in its own type.

    Without a mask a token attends to all before it, which padding on the right is not; attention has its fast forms then.
    In one row sequences are told apart by positions that begin anew: transformers lets none of them attend to another.
    """
    packed = len(rows.ids) < len(rows.places)
    more = {"position_ids": rows.positions} if packed else {}
    found: Tensor = model(input_ids=rows.ids, use_cache=False, **more).logits.flatten(0, 1)
    return found[rows.places - 1]


def grid(rows: Sequence[Sequence[float]], like: Tensor) -> Tensor:
    """Rows of different lengths as [sequences, tokens], 0 behind their ends."""
    found = torch.zeros_like(like)
    for at, row in enumerate(rows):
        found[at, : len(row)] = torch.tensor(row)
    return found


def ragged(values: Tensor, mask: Tensor) -> list[Row]:
    """What `grid` was made of."""
    sizes = mask.sum(-1).int().tolist()
    return [tuple(row[:size].tolist()) for row, size in zip(values, sizes, strict=True)]
