"""Rows of different lengths lie one behind the other, and are found again in whatever order they are asked for."""

from __future__ import annotations

import pytest

pytest.importorskip("ray", reason="needs the runner's environment (make runner-env)")
import numpy as np
from rftconf_runner.columns import Block, Column, Ragged, join_columns, numbers_of
from rftconf_runner.lessons import Lesson, Sample
from rftconf_runner.samples import Lessons, Samples, join_samples

ROWS = [[1.0], [2.0, 3.0], [], [4.0, 5.0, 6.0], [7.0]]


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [1, 2, 3], [4, 1, 1, 3], [2], [], [3, 0]])
def test_rows_in_an_order(order: list[int]) -> None:
    taken = Ragged.of(ROWS).take(np.array(order, int))
    assert [taken[index].tolist() for index in range(len(taken))] == [ROWS[number] for number in order]
    assert taken.lengths.tolist() == [len(ROWS[number]) for number in order]


def test_rows_of_two_blocks() -> None:
    first, second = Ragged.of(ROWS), Ragged.of([[8.0, 9.0]])
    column = Column((first, second), np.array([0, 1, 0, 0]), np.array([3, 0, 4, 1]))
    assert [row.tolist() for row in column] == [[4, 5, 6], [8, 9], [7], [2, 3]]
    assert column.flat().tolist() == [4, 5, 6, 8, 9, 7, 2, 3]
    both = join_columns([column.take(slice(2, 4)), Column((second,), np.array([0]), np.array([0]))])
    assert both.flat().tolist() == [7, 2, 3, 8, 9]
    assert len(both.blocks) == 3


def test_what_a_driver_is_told_of_a_block() -> None:
    """Its first two answers are to the second prompt."""
    block = Block(
        Ragged.of([[1, 2], [3], [4, 5, 6]], "int32"), Ragged.of([[-1, -2], [-4], [-1, -1, -1]]),
        Ragged.of([[9, 9, 9, 9], [8]], "int32"), np.array([1, 1, 0]),
    )  # fmt: skip
    numbers = numbers_of(block, np.array([5, 5, 6]))
    assert [column.tolist() for column in numbers] == [[2, 1, 3], [1, 1, 4], [5, 5, 6], [-3, -4, -3]]


def test_samples_are_what_they_were() -> None:
    samples = [Sample((1, 2), (3,), 4, 0, (-0.5,)), Sample((5,), (6, 7), 8, 1, (-1.0, -2.0))]
    whole = join_samples([Samples.of(samples[:1]), Samples.of(samples[1:])])
    again = [Sample(tuple(s.prompt), tuple(s.answer), s.version, s.number, tuple(s.drawn)) for s in whole[[1, 0]]]
    assert again == samples[::-1]
    assert whole.tokens == 3
    assert whole[1].answer.tolist() == [6, 7]


def test_lessons_are_what_they_were() -> None:
    """Advantages are a number for each answer, which each of its tokens has; old log-probs have one for each token."""
    samples = Samples.of([Sample((1,), (3,), 0), Sample((1,), (6, 7), 0)])
    more = {"advantages": np.array([1.5, -1.5]), "old": Ragged.of([[-1.0], [-2.0, -3.0]])}
    lessons = Lessons(samples, more, np.array([True, False]), np.array([1.0, 0.0]))
    last, first = lessons[np.array([1, 0])]
    assert isinstance(last, Lesson)
    assert ([*last.advantages], [*last.old], last.teaching, last.score) == ([-1.5, -1.5], [-2.0, -3.0], False, 0.0)
    assert ([*first.advantages], [*first.old], [*first.reference]) == ([1.5], [-1.0], [])
