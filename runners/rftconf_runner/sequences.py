"""Sequences as tensors: prompt and answer side by side, padded or one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rftconf_runner.lessons import Lesson, Row, Sample
from rftconf_runner.packed_attention import set_lengths

KEEPS = "logits_to_keep"
"""The argument of transformers' models that names the places a language model's head computes; other heads compute all."""


@dataclass(frozen=True, slots=True)
class Table:
    """Token ids and positions of one shape; the answers' tokens by their `places` in the ids row after row, and their mask,
    both [sequences, longest answer]. A head is asked about `columns` of the ids alone, and the place before
    each of the answers' tokens is one of `numbers` among those, row after row. `lengths` are of sequences in one row, none otherwise; `of_images` is what
    a model that sees is given beside tokens, and none other."""

    ids: Tensor
    positions: Tensor
    places: Tensor
    mask: Tensor
    columns: Tensor
    numbers: Tensor
    lengths: tuple[int, ...] = ()
    of_images: Mapping[str, Tensor] = field(default_factory=dict)

    @property
    def following(self) -> Tensor:
        """The tokens behind the places that a head is asked about [rows, places]."""
        return self.ids[:, self.columns + 1]

    def to(self, device: str) -> Table:
        """Return the table on a device."""
        of_images = {name: value.to(device) for name, value in self.of_images.items()}
        return replace(self, of_images=of_images, **{name: getattr(self, name).to(device) for name in TENSORS})


TENSORS = ("ids", "positions", "places", "mask", "columns", "numbers")


def mask_of(samples: Sequence[Sample]) -> Tensor:
    """1 where an answer has a token: [sequences, longest answer]."""
    longest = max(len(sample.answer) for sample in samples)
    return (torch.arange(longest) < torch.tensor([[len(sample.answer)] for sample in samples])).float()


def counted(lessons: Sequence[Lesson]) -> Tensor:
    """1 where an answer has a token that teaches: [sequences, longest answer]."""
    return mask_of([lesson.sample for lesson in lessons]) * torch.tensor(
        [[float(lesson.teaching)] for lesson in lessons]
    )


def table(samples: Sequence[Sample], *, packs: bool) -> Table:
    """A row for each sequence, padded on the right; or all of them in one row, one behind the other."""
    longest, whole = max(map(len, samples)), sum(map(len, samples))
    mask, starts = mask_of(samples), [longest * index for index in range(len(samples))]
    if packs:
        starts = [0, *accumulate(map(len, samples))][:-1]
    ids = torch.zeros(whole if packs else longest * len(samples), dtype=torch.long)
    positions = torch.zeros_like(ids)
    places = torch.ones(mask.shape, dtype=torch.long)
    for index, (sample, start) in enumerate(zip(samples, starts, strict=True)):
        own = slice(start, start + len(sample))
        ids[own] = torch.from_numpy(np.concatenate((sample.prompt, sample.answer)))
        positions[own] = torch.arange(len(sample))
        places[index, : len(sample.answer)] = torch.arange(start + len(sample.prompt), start + len(sample))
    rows, before = 1 if packs else len(samples), places - 1
    length = whole if packs else longest
    columns = torch.arange(min(len(sample.prompt) for sample in samples) - 1, length - 1)
    if packs:
        columns = before[mask.bool()]
    number = torch.zeros(length, dtype=torch.long)
    number[columns] = torch.arange(len(columns))
    numbers = before // length * len(columns) + number[before % length]
    lengths = tuple(map(len, samples)) if packs else ()
    return Table(ids.view(rows, -1), positions.view(rows, -1), places, mask, columns, numbers, lengths)


@dataclass(frozen=True, slots=True)
class HeadOutput:
    """A model's `logits` [rows, places, head] at the places before `tokens` [rows, places]. `to_answers` turns a number for each place
    into one for each of the answers' tokens [sequences, longest answer]; beyond the mask its numbers mean nothing."""

    logits: Tensor
    tokens: Tensor
    to_answers: Callable[[Tensor], Tensor]


def keeps_places(model: Any) -> bool:
    """True where a model's head computes the places that it is told alone."""
    return KEEPS in signature(model.forward).parameters


def head_output(model: Any, rows: Table) -> HeadOutput:
    """Run a model, its head at the places before the answers' tokens and few others: a large head costs much of a small model.

    Without a mask a token attends to all before it, which padding on the right is not; attention has its fast forms then.
    In one row sequences are told apart by positions that begin anew: transformers lets none of them attend to another.
    """
    set_lengths(rows.lengths)
    more = rows.of_images or ({"position_ids": rows.positions} if rows.lengths else {})
    keeps = keeps_places(model)
    output = model(input_ids=rows.ids, use_cache=False, **more, **({KEEPS: rows.columns} if keeps else {})).logits
    return HeadOutput(
        output if keeps else output[:, rows.columns],
        rows.following,
        lambda values: values.flatten()[rows.numbers],
    )


def grid(rows: Sequence[Sequence[float]], like: Tensor) -> Tensor:
    """Rows of different lengths as [sequences, tokens], 0 behind their ends."""
    rows_grid = torch.zeros_like(like)
    for index, row in enumerate(rows):
        rows_grid[index, : len(row)] = torch.tensor(row)
    return rows_grid


def ragged(values: Tensor, mask: Tensor) -> list[Row]:
    """Return the rows that `grid` was made of: [sequences, tokens] without the padding."""
    sizes = mask.sum(-1).int().tolist()
    return [tuple(row[:size].tolist()) for row, size in zip(values, sizes, strict=True)]
