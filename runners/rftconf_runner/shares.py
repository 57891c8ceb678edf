"""Calls to ranks about sequences. Each rank is handed the blocks of Ray's store in which its own share lies, and of all sequences the few numbers
that every rank needs; what a rank computes for each token stays in the store, and the driver holds references to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import ray

from rftconf_runner.columns import Column, Ragged
from rftconf_runner.lessons import Lesson, Sample
from rftconf_runner.samples import Lessons, Samples

Items = TypeVar("Items", Samples, Lessons)
Measure = Callable[[Ragged, Ragged, Samples], Any]
"""A function that measures a share: from the log-probs that its answers were drawn with, the rows that a rank computed, and the sequences."""


class Share(Sequence[Any]):
    """All sequences of a call as the rank has them whose share is those from `begin` to `end`: these whole, of others the numbers alone."""

    def __init__(self, items: Samples | Lessons, begin: int, end: int, blocks: Mapping[int, Any]) -> None:
        self.begin, self.mine = begin, _with_blocks(items[begin:end], blocks)
        self.own: list[Any] = [*self.mine]
        self.numbers = (items.samples if isinstance(items, Lessons) else items).numbers
        self.teaching = items.teaching if isinstance(items, Lessons) else None
        self.lengths: list[int] = (self.numbers.tokens + self.numbers.prompts).tolist()

    def __len__(self) -> int:
        """Return the number of sequences, those of all ranks."""
        return len(self.lengths)

    def __getitem__(self, index: Any) -> Any:
        """Return a sequence, or a part of them; of those that are not this rank's own only their numbers are known."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if 0 <= index - self.begin < len(self.own):
            return self.own[index - self.begin]
        if index >= len(self):
            raise IndexError(index)
        numbers = self.numbers
        sample = Sample(
            range(int(numbers.prompts[index])), range(int(numbers.tokens[index])), int(numbers.versions[index]), -1
        )
        return sample if self.teaching is None else Lesson(sample, (), (), teaching=bool(self.teaching[index]))


class Listener:
    """A rank that is called with the sequences of all ranks and reads its own share of them."""

    def listen(
        self, method: str, more: Sequence[Any], items: Any, begin: int, end: int, numbers: Any, *blocks: Any
    ) -> Any:
        """Call a method with all sequences of an update or a pass."""
        return getattr(self, method)(_share(items, begin, end, numbers, blocks), *more)

    def keep(
        self, method: str, measure: Measure | None, items: Any, begin: int, end: int, numbers: Any, *blocks: Any
    ) -> tuple[Any, Ragged]:
        """Call a method that returns a row for each sequence of the share: what `measure` says of the rows, and the rows for the store."""
        share = _share(items, begin, end, numbers, blocks)
        rows = Ragged.of(getattr(self, method)(share))
        samples = share.mine.samples if isinstance(share.mine, Lessons) else share.mine
        return measure(Ragged.of([*samples.drawn]), rows, samples) if measure and len(rows) else None, rows


def _share(items: Any, begin: int, end: int, numbers: Any, blocks: Sequence[Any]) -> Share:
    return Share(items, begin, end, dict(zip(numbers.tolist(), blocks, strict=True)))


def tell_ranks(ranks: Sequence[Any], size: int, method: str, items: Items, *more: Any) -> list[Any]:
    """Call a method on every rank about `items`, of which `size` ranks at a time have the same share; return their results in order."""
    results: list[Any] = ray.get([rank.listen.remote(method, more, *own) for rank, own in _calls(ranks, size, items)])
    return results


def keep_rows(
    ranks: Sequence[Any], size: int, method: str, items: Items, measure: Measure | None = None
) -> tuple[Column, list[Any]]:
    """Call a method on every rank that returns a row for each of `items`. The rows stay in the store; what `measure` says of each share is returned."""
    refs = [rank.keep.options(num_returns=2).remote(method, measure, *own) for rank, own in _calls(ranks, size, items)]
    measured = ray.get([numbers for numbers, _ in refs])[::size]
    blocks = tuple(rows for _, rows in refs[::size])
    each = len(items) // len(blocks)
    numbers = np.arange(each * len(blocks), dtype="int32")
    return Column(blocks, numbers // each, numbers % each), measured


def _calls(ranks: Sequence[Any], size: int, items: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield each rank with the arguments that say what its share is. What all ranks are told alike is in the store once."""
    numbered, blocks = _numbered(items)
    put, each = ray.put(numbered), len(items) // (len(ranks) // size)
    of_columns = [column.of for column in _columns(numbered)]
    for first in range(0, len(ranks), size):
        begin = first // size * each
        needed = np.unique(np.concatenate([np.unique(of[begin : begin + each]) for of in of_columns]))
        own = (put, begin, begin + each, needed, *(blocks[number] for number in needed.tolist()))
        yield from ((rank, own) for rank in ranks[first : first + size])


def _numbered(items: Items) -> tuple[Items, list[Any]]:
    """Return sequences without their blocks, and references to all of these, in whose numbers the columns are."""
    first, blocks = dict[int, int](), list[Any]()
    for column in _columns(items):
        if id(column.blocks) not in first:
            first[id(column.blocks)] = len(blocks)
            blocks += [block if isinstance(block, ray.ObjectRef) else ray.put(block) for block in column.blocks]
    return _mapped(items, lambda column: replace(column, blocks=(), of=column.of + first[id(column.blocks)])), blocks


def _with_blocks(items: Items, blocks: Mapping[int, Any]) -> Items:
    return _mapped(items, lambda column: replace(column, blocks=blocks))


def _columns(items: Samples | Lessons) -> list[Column]:
    """List the columns whose rows are in blocks."""
    if isinstance(items, Samples):
        return [items.at]
    return [items.samples.at, *(column for column in items.more.values() if isinstance(column, Column))]


def _mapped(items: Items, change: Callable[[Column], Column]) -> Items:
    if isinstance(items, Samples):
        return replace(items, at=change(items.at))
    more = {name: change(column) if isinstance(column, Column) else column for name, column in items.more.items()}
    return replace(items, samples=replace(items.samples, at=change(items.samples.at)), more=more)
