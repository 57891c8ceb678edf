"""Sequences as tensors: prompt and answer side by side, padded, cut into ranks' shares and micro-batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor

from rftconf_runner.job import Micro

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


Item = TypeVar("Item", Sample, Lesson)


@dataclass(frozen=True, slots=True)
class Padded:
    """Token ids and attention [sequences, longest]; places of the answers' tokens in them and their mask
    [sequences, longest answer]."""

    ids: Tensor
    attend: Tensor
    places: Tensor
    mask: Tensor

    def to(self, device: str) -> Padded:
        """The same on a device."""
        return Padded(*(tensor.to(device) for tensor in (self.ids, self.attend, self.places, self.mask)))


def mask_of(samples: Sequence[Sample]) -> Tensor:
    """1 where an answer has a token: [sequences, longest answer]."""
    longest = max(len(sample.answer) for sample in samples)
    return (torch.arange(longest) < torch.tensor([[len(sample.answer)] for sample in samples])).float()


def padded(samples: Sequence[Sample]) -> Padded:
    """On the right."""
    mask = mask_of(samples)
    ids = torch.zeros(len(samples), max(map(len, samples)), dtype=torch.long)
    attend, places = torch.zeros_like(ids), torch.ones(mask.shape, dtype=torch.long)
    for at, sample in enumerate(samples):
        whole, start = (*sample.prompt, *sample.answer), len(sample.prompt)
        ids[at, : len(whole)] = torch.tensor(whole)
        attend[at, : len(whole)] = 1
        places[at, : len(sample.answer)] = torch.arange(start, len(whole))
    return Padded(ids, attend, places, mask)


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


def share(items: Sequence[Item], rank: int, ranks: int) -> Sequence[Item]:
    """The part of one of `ranks` ranks."""
    each = len(items) // ranks
    return items[rank * each : (rank + 1) * each]


def micro_batches(items: Sequence[Item], micro: Micro) -> Iterator[Sequence[Item]]:
    """Of a fixed number of sequences, or filled up to a number of tokens."""
    if not micro.tokens:
        yield from (items[at : at + micro.sequences] for at in range(0, len(items), micro.sequences))
        return
    part: list[Item] = []
    for item in items:
        longest = max(len(item), *map(len, part))
        if part and longest * (len(part) + 1) > micro.tokens:
            yield part
            part = []
        part.append(item)
    if part:
        yield part
