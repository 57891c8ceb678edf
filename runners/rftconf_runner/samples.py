"""A period's sequences as columns of numbers; each can be had by itself, as a `Sample` or a `Lesson`, whose tokens are fetched then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rftconf_runner.columns import LOG_PROBS, Array, Block, Column, Numbers, Ragged, join_columns, numbers_of
from rftconf_runner.lessons import Lesson, Sample

ROWS = ("advantages", "old", "reference", "values", "returns", "weights")
"""Fields of a lesson that have a number for each token."""


@dataclass(frozen=True, eq=False)
class Samples(Sequence[Sample]):
    """Sequences: their numbers in the run, and for each the tokens of answer and prompt, the version that drew it and the sum of its
    log-probs. `at` is where their tokens lie."""

    own: Array
    numbers: Numbers
    at: Column

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> Samples:
        """Put samples that are here into a block."""
        if isinstance(samples, Samples):
            return samples
        return cls(np.array([sample.number for sample in samples], "int64"), *put_in_block(samples))

    def __len__(self) -> int:
        """Return the number of sequences."""
        return len(self.own)

    def __getitem__(self, index: Any) -> Any:
        """Return a sample, or some of the samples as columns."""
        if isinstance(index, (int, np.integer)):
            return next(iter(self.take([index])))
        return self.take(index)

    def __iter__(self) -> Iterator[Sample]:
        """Fetch the blocks, and yield each sample."""
        blocks = self.at.fetch()
        for number, version, block, row in zip(
            self.own.tolist(), self.numbers.versions.tolist(), self.at.of.tolist(), self.at.rows.tolist(), strict=True
        ):
            yield read_sample(blocks[block], row, version, number)

    def take(self, index: Any) -> Samples:
        """Return some of them, in the order of the index."""
        return Samples(self.own[index], Numbers(*(column[index] for column in self.numbers)), self.at.take(index))

    @cached_property
    def tokens(self) -> int:
        """Count the tokens of the answers."""
        return int(self.numbers.tokens.sum())

    @property
    def drawn(self) -> Column:
        """Return the log-probs that the engine drew with."""
        return self.at.of_part(LOG_PROBS)


def put_in_block(samples: Sequence[Sample]) -> tuple[Numbers, Column]:
    """Put samples into a block of this process: their numbers, and where they lie."""
    answers, drawn = Ragged.of([sample.answer for sample in samples], "int32"), Ragged.of([s.drawn for s in samples])
    pictures = tuple(sample.pictures for sample in samples)
    block = Block(
        answers, drawn, Ragged.of([sample.prompt for sample in samples], "int32"), np.arange(len(samples)),
        pictures if any(pictures) else (),
    )  # fmt: skip
    column = Column((block,), np.zeros(len(samples), "int32"), np.arange(len(samples), dtype="int32"))
    return numbers_of(block, np.array([sample.version for sample in samples], "int32")), column


def read_sample(block: Block, row: int, version: int, number: int) -> Sample:
    """Return a sample of a block that was fetched."""
    prompt = int(block.prompt_numbers[row])
    pictures = block.pictures[prompt] if block.pictures else ()
    return Sample(block.prompts[prompt], block.answers[row], version, number, block.log_probs[row], pictures)


def join_samples(parts: Sequence[Samples]) -> Samples:
    """Put samples one behind the other."""
    own = np.concatenate([part.own for part in parts])
    numbers = Numbers(*(np.concatenate(columns) for columns in zip(*(part.numbers for part in parts), strict=True)))
    return Samples(own, numbers, join_columns([part.at for part in parts]))


@dataclass(frozen=True, eq=False)
class Lessons(Sequence[Lesson]):
    """Samples with what is learned from them: for a name of a lesson's field rows of numbers, or one number a sequence that each of
    its answer's tokens has; fields of other names are empty."""

    samples: Samples
    more: Mapping[str, Column | Ragged | Array]
    teaching: Array
    scores: Array

    def __len__(self) -> int:
        """Return the number of sequences."""
        return len(self.samples)

    def __getitem__(self, index: Any) -> Any:
        """Return a lesson, or some of the lessons as columns."""
        if isinstance(index, (int, np.integer)):
            return next(iter(self.take(np.array([index]))))
        return self.take(np.arange(len(self))[index] if isinstance(index, slice) else index)

    def __iter__(self) -> Iterator[Lesson]:
        """Fetch the blocks, and yield each lesson."""
        return read_lessons(self.samples, self.more, self.teaching, self.scores)

    def take(self, index: Array) -> Lessons:
        """Return some of them, in the order of the index, which may have one again and again."""
        more = {name: c.take(index) if isinstance(c, (Column, Ragged)) else c[index] for name, c in self.more.items()}
        return Lessons(self.samples.take(index), more, self.teaching[index], self.scores[index])


def read_lessons(
    samples: Sequence[Sample], more: Mapping[str, Column | Ragged | Array], teaching: Array, scores: Array
) -> Iterator[Lesson]:
    """Yield samples with their rows of further columns as lessons."""
    rows = [_rows_of(more.get(name), samples) for name in ROWS]
    for sample, own, teaches, score in zip(
        samples, zip(*rows, strict=True), teaching.tolist(), scores.tolist(), strict=True
    ):
        yield Lesson(sample, **dict(zip(ROWS, own, strict=True)), teaching=teaches, score=score)


def _rows_of(column: Any, samples: Sequence[Sample]) -> Iterable[Any]:
    if column is None:
        return ((),) * len(samples)
    return iter(column) if isinstance(column, (Column, Ragged)) else _spread(column, samples)


def _spread(numbers: Array, samples: Sequence[Sample]) -> Iterator[Array]:
    return (np.full(len(sample.answer), number) for sample, number in zip(samples, numbers, strict=True))
