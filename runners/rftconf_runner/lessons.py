"""One sequence, and what is learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rftconf_runner.images import Picture

Row = Sequence[float]
"""A number for each token of an answer."""
Tokens = Sequence[int]


@dataclass(frozen=True, slots=True)
class Sample:
    """One sequence: the prompt's and the answer's tokens, the engine's version that drew the answer and the log-probs it
    drew with; `number` is the sequence's own in the run. The prompt has a token for every part of its `pictures`."""

    prompt: Tokens
    answer: Tokens
    version: int
    number: int = 0
    drawn: Row = ()
    pictures: tuple[Picture, ...] = ()

    def __len__(self) -> int:
        """Return the number of tokens of prompt and answer."""
        return len(self.prompt) + len(self.answer)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A sample with what is learned from it, a number for each token of the answer.

    `reference` is empty without a KL loss, `values` and `returns` without a critic, `weights` without a correction. One that is not
    `teaching` is masked: it is in no loss and in no number that a loss is divided by. Its `score` says how right the
    answer is.
    """

    sample: Sample
    advantages: Row
    old: Row
    reference: Row = ()
    values: Row = ()
    returns: Row = ()
    weights: Row = ()
    teaching: bool = True
    score: float = 0.0

    def __len__(self) -> int:
        """Return the number of tokens of prompt and answer."""
        return len(self.sample)
