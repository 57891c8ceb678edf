"""Stand-ins for engines, ranks and the reward's process, called as the real ones are; none has a model, so that a machine holds many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from rftconf_runner.columns import Block, Column, Numbers, Ragged, numbers_of
from rftconf_runner.consistency_checks import gap_between
from rftconf_runner.score_columns import Scores

VOCABULARY = 32_000


class Engine:
    """Answers at random, of half to three halves of `tokens` tokens."""

    def __init__(self, number: int, tokens: int, responses: int) -> None:
        self.random, self.tokens, self.responses = np.random.default_rng(number), tokens, responses

    def draw(self, questions: Sequence[tuple[Any, ...]], _first: int, own: slice) -> tuple[Numbers, Block]:
        """Return what an engine of vLLM's would."""
        prompt_numbers = np.arange(len(questions) * self.responses)[own] // self.responses
        ends = self.random.integers(self.tokens // 2, self.tokens * 3 // 2, len(prompt_numbers)).cumsum()
        answers = Ragged(self.random.integers(0, VOCABULARY, int(ends[-1]), "int32"), ends)
        log_probs = Ragged(-self.random.random(int(ends[-1]), "float32"), ends)
        block = Block(answers, log_probs, Ragged.of([tokens for tokens, *_ in questions], "int32"), prompt_numbers)
        return numbers_of(block, np.zeros(len(prompt_numbers), "int32")), block


class Rank:
    """Reads its share of the answers, as a trainer's rank does, and computes nothing."""

    def keep(
        self, _method: str, measure: Any, items: Any, begin: int, end: int, numbers: Any, *blocks: Any
    ) -> tuple[Any, Ragged]:
        """Return a number for each token of the share."""
        rows = Ragged.of([block.log_probs[row] for block, row in _share(items.at, begin, end, numbers, blocks)])
        return gap_between(rows.values, rows.values) if "version" in measure.keywords else 0.0, rows

    def listen(
        self, _method: str, _more: Any, items: Any, begin: int, end: int, numbers: Any, *blocks: Any
    ) -> SimpleNamespace:
        """Look at every token of the share."""
        tokens = sum(int(b.answers[row].sum() > 0) for b, row in _share(items.samples.at, begin, end, numbers, blocks))
        assert tokens == end - begin <= len(items.teaching)
        return SimpleNamespace(loss=0.0, gradient_norm=1.0, ratio_gap=0.0, learning_rate=1e-6, parity=0.0)


def _share(column: Column, begin: int, end: int, numbers: Any, blocks: Sequence[Any]) -> Iterator[tuple[Any, int]]:
    by_number = dict(zip(numbers.tolist(), blocks, strict=True))
    return (
        (by_number[block], row)
        for block, row in zip(column.of[begin:end].tolist(), column.rows[begin:end].tolist(), strict=True)
    )


class Scorer:
    """Scores answers by their length, without reading them as text."""

    def of_blocks(self, _questions: Any, question_numbers: Any, column: Column, *blocks: Block) -> Scores:
        """Return 1 for an even number of tokens, else 0."""
        lengths = np.array([len(blocks[b].answers[r]) for b, r in zip(column.of, column.rows, strict=True)])
        return Scores((lengths % 2 == 0).astype("float64"), np.zeros(len(question_numbers), bool))
