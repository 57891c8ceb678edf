"""Sequences as tensors: prompt and answer side by side, padded, cut into ranks' shares and micro-batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar

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
class Table:
    """Token ids, `kept` 1 where one is, and positions, all of one shape; the answers' tokens by their `places` in the ids
    row after row, and their mask, both [sequences, longest answer]."""

    ids: Tensor
    kept: Tensor
    positions: Tensor
    places: Tensor
    mask: Tensor

    def to(self, device: str) -> Table:
        """The same on a device."""
        parts = (self.ids, self.kept, self.positions, self.places, self.mask)
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
    kept, positions = torch.zeros_like(ids), torch.zeros_like(ids)
    places = torch.ones(mask.shape, dtype=torch.long)
    for at, (sample, start) in enumerate(zip(samples, starts, strict=True)):
        own = slice(start, start + len(sample))
        ids[own] = torch.tensor((*sample.prompt, *sample.answer))
        kept[own], positions[own] = 1, torch.arange(len(sample))
        places[at, : len(sample.answer)] = torch.arange(start + len(sample.prompt), start + len(sample))
    rows = 1 if packs else len(samples)
    return Table(ids.view(rows, -1), kept.view(rows, -1), positions.view(rows, -1), places, mask)


def before(model: Any, rows: Table) -> Tensor:
    """What a model's head says at the token before each of the answers' [sequences, longest answer, head], in its own type.

    In one row sequences are told apart by positions that begin anew: without a mask, transformers lets none of them attend
    to another.
    """
    packed = len(rows.ids) < len(rows.places)
    more = {"position_ids": rows.positions} if packed else {"attention_mask": rows.kept}
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


def share(items: Sequence[Item], rank: int, ranks: int) -> Sequence[Item]:
    """The part of one of `ranks` ranks."""
    each = len(items) // ranks
    return items[rank * each : (rank + 1) * each]


def micro_batches(items: Sequence[Item], micro: Micro) -> Iterator[Sequence[Item]]:
    """Of a fixed number of sequences, or filled up to a number of tokens, padding included where there is some."""
    if not micro.tokens:
        yield from (items[at : at + micro.sequences] for at in range(0, len(items), micro.sequences))
        return
    part: list[Item] = []
    for item in items:
        sizes = [len(item), *map(len, part)]
        if part and (sum(sizes) if micro.packs else max(sizes) * len(sizes)) > micro.tokens:
            yield part
            part = []
        part.append(item)
    if part:
        yield part
