"""Numbers of many sequences as columns. Tokens lie in blocks of Ray's store, which engines and ranks put there; a driver knows how many there
are and where, and hands on references to the blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import ray

from rftconf_runner.images import Picture

Array = Any
"""A NumPy array; those that come out of Ray's store are not copied, and cannot be written to."""
LOG_PROBS = "log_probs"
"""The part of a block that has the log-probs with which the engine drew."""


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of different lengths, one behind the other; row i is `values` from the end of the row before to `ends[i]`."""

    values: Array
    ends: Array

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]], kind: str = "float32") -> Ragged:
        """Copy rows into numbers of one kind."""
        ends = np.fromiter((len(row) for row in rows), "int64", len(rows)).cumsum()
        whole = np.concatenate([np.asarray(row, kind) for row in rows]) if len(rows) else np.empty(0, kind)
        return cls(whole, ends)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.ends)

    def __getitem__(self, number: int) -> Array:
        """Return a row, which is not copied."""
        return self.values[self.ends[number - 1] if number else 0 : self.ends[number]]

    @property
    def lengths(self) -> Array:
        """Return how many numbers each row has."""
        return np.diff(self.ends, prepend=0)

    def take(self, numbers: Array) -> Ragged:
        """Return these rows in this order; rows that lie behind each other are not copied."""
        if len(numbers) and (np.diff(numbers) == 1).all():
            begin, end = int(numbers[0]), int(numbers[-1]) + 1
            offset = self.ends[begin - 1] if begin else 0
            return Ragged(self.values[offset : self.ends[end - 1]], self.ends[begin:end] - offset)
        lengths = self.lengths[numbers]
        ends = lengths.cumsum()
        shift = np.repeat((self.ends[numbers] if len(numbers) else ends) - ends, lengths)
        return Ragged(self.values[np.arange(len(shift)) + shift], ends)


class Block(NamedTuple):
    """Answers as an engine puts them into the store, with the tokens of their prompts: answer i is to the prompt `prompt_numbers[i]`, whose
    images are among `pictures` where there are any."""

    answers: Ragged
    log_probs: Ragged
    prompts: Ragged
    prompt_numbers: Array
    pictures: tuple[tuple[Picture, ...], ...] = ()


class Numbers(NamedTuple):
    """The driver's part of a block: for each answer its tokens and its prompt's, the version that drew it, and the sum of its log-probs."""

    tokens: Array
    prompts: Array
    versions: Array
    sums: Array


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Rows of sequences: sequence i has row `rows[i]` of `blocks[of[i]]`, or of a `part` of that. A block is in Ray's store, or itself here."""

    blocks: Sequence[Any] | Mapping[int, Any]
    of: Array
    rows: Array
    part: str = ""

    def __len__(self) -> int:
        """Return the number of sequences."""
        return len(self.rows)

    def take(self, numbers: Any) -> Column:
        """Return the rows of some sequences."""
        return Column(self.blocks, self.of[numbers], self.rows[numbers], self.part)

    def of_part(self, part: str) -> Column:
        """Return another part of the same blocks."""
        return replace(self, part=part)

    def __iter__(self) -> Iterator[Any]:
        """Fetch the blocks, and yield each row."""
        blocks = self.fetch()
        return (blocks[block][row] for block, row in zip(self.of.tolist(), self.rows.tolist(), strict=True))

    def flat(self) -> Array:
        """Fetch the blocks, and return all rows one behind the other."""
        blocks, edges = self.fetch(), [0, *(np.flatnonzero(np.diff(self.of)) + 1).tolist(), len(self.of)]
        runs = [(int(self.of[begin]), self.rows[begin:end]) for begin, end in pairwise(edges) if end > begin]
        return np.concatenate([blocks[block].take(rows).values for block, rows in runs] or [np.empty(0, "float32")])

    def fetch(self) -> Mapping[int, Any]:
        """Return the blocks that are needed, or their parts, by number."""
        numbers = np.unique(self.of).tolist()
        blocks = fetch_blocks([self.blocks[number] for number in numbers])
        return {n: getattr(b, self.part) if self.part else b for n, b in zip(numbers, blocks, strict=True)}


def fetch_blocks(blocks: Sequence[Any]) -> list[Any]:
    """Fetch those of the blocks that are references; return all of them, in order."""
    refs = [block for block in blocks if isinstance(block, ray.ObjectRef)]
    came = iter(ray.get(refs) if refs else ())
    return [next(came) if isinstance(block, ray.ObjectRef) else block for block in blocks]


def join_columns(columns: Sequence[Column]) -> Column:
    """Put columns one behind the other; many of them may have the same blocks."""
    starts, blocks = dict[int, int](), list[Any]()
    for column in columns:
        if id(column.blocks) not in starts:
            starts[id(column.blocks)] = len(blocks)
            blocks += [*column.blocks]
    first = np.fromiter((starts[id(column.blocks)] for column in columns), "int32", len(columns))
    of = np.concatenate([column.of for column in columns]) + np.repeat(first, [len(column) for column in columns])
    return Column(tuple(blocks), of, np.concatenate([column.rows for column in columns]), columns[0].part)


def numbers_of(block: Block, versions: Array) -> Numbers:
    """Return the numbers that the driver keeps of a block."""
    drawn, answers = block.log_probs, block.answers
    whole = np.concatenate(([0.0], drawn.values.cumsum(dtype="float64")))
    sums = whole[drawn.ends] - whole[drawn.ends - drawn.lengths]
    return Numbers(
        answers.lengths.astype("int32"), block.prompts.lengths[block.prompt_numbers].astype("int32"), versions, sums
    )
