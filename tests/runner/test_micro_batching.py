"""How updates are cut over ranks, micro-batches and passes."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from rftconf_runner.job import Micro
from rftconf_runner.micro_batching import LEAST_TOKENS_ALONE, LEAST_TOKENS_GATHERED, MicroBatch, micro_batches

FIXED, FILLED, PACKED = Micro(4, 0), Micro(0, 60), Micro(0, 60, packs=True)
ROWS = st.lists(st.integers(1, 50), min_size=1, max_size=20)
LONG = st.lists(st.integers(1, 4000), min_size=2, max_size=40)


def rows(lengths: list[int]) -> list[tuple[int, ...]]:
    """Sequences that say which they are."""
    return [(index,) * length for index, length in enumerate(lengths)]


def cut(lengths: list[int], micro: Micro, ranks: int) -> list[list[MicroBatch[tuple[int, ...]]]]:
    whole = rows(lengths)
    return [list(micro_batches(whole, micro, rank, ranks)) for rank in range(ranks)]


@given(ROWS, st.sampled_from([FIXED, FILLED, PACKED]), st.integers(1, 4))
def test_every_sequence_once_and_every_rank_as_often(lengths: list[int], micro: Micro, ranks: int) -> None:
    lengths = lengths * ranks
    values = cut(lengths, micro, ranks)
    assert len({len(new_micro_batches) for new_micro_batches in values}) == 1
    for rank, parts in enumerate(values):
        share = rows(lengths)[rank * len(lengths) // ranks : (rank + 1) * len(lengths) // ranks]
        assert [item for part in parts for item in part.items] == share
        assert [len(part.passes) for part in parts] == [len(part.passes) for part in values[0]]
        for part in parts:
            observed = [
                (index, item) for numbers, items in part.passes for index, item in zip(numbers, items, strict=True)
            ]
            assert sorted(item for _, item in observed) == sorted(part.items)
            assert all(share[index] == item for index, item in observed)
            assert all(items for _, items in part.passes)


@given(LONG, st.integers(1, 3))
def test_passes_of_like_length_save_padding(lengths: list[int], ranks: int) -> None:
    """Each is of sequences no shorter than those of the next, and each but the first saves what it must."""
    least = LEAST_TOKENS_ALONE if ranks == 1 else LEAST_TOKENS_GATHERED
    for parts in cut(lengths * ranks, Micro(len(lengths), 0), ranks):
        (part,) = parts
        sizes = [[len(item) for item in items] for _, items in part.passes]
        if len(sizes) > 1:
            assert all(min(first) >= max(second) for first, second in itertools.pairwise(sizes))
            saved = len(lengths) * max(lengths) - sum(len(size) * max(size) for size in sizes)
            assert saved >= least * (len(sizes) - 1)


def test_one_long_answer_does_not_pad_all_others() -> None:
    (part,) = micro_batches(rows([2000, *[100] * 15]), Micro(16, 0))
    assert [list(numbers) for numbers, _ in part.passes] == [[0], list(range(1, 16))]


def test_answers_of_like_length_are_one_pass_in_their_order() -> None:
    lengths = [900, 1000, 950, 990]
    (part,) = micro_batches(rows(lengths), FIXED)
    assert [list(numbers) for numbers, _ in part.passes] == [[0, 1, 2, 3]]


def test_a_rank_of_short_answers_runs_as_many_passes_as_one_of_long() -> None:
    """Filled by tokens one would need three and the other one: they would wait for each other for ever."""
    lengths = [50, 50, 50, 5, 5, 5]
    assert [len(parts) for parts in cut(lengths, PACKED, 2)] == [3, 3]
    long, short = cut([2000, *[100] * 15, *[100] * 16], Micro(16, 0), 2)  # saves 28,500 tokens
    assert [len(part.passes) for part in (*long, *short)] == [2, 2]


def test_a_part_holds_as_many_tokens_as_the_plan_says() -> None:
    lengths = [7, 20, 33, 41, 5, 60, 70, 2]
    padded, packed = (list(micro_batches(rows(lengths), micro)) for micro in (FILLED, PACKED))
    assert [[len(item) for item in part.items] for part in packed] == [[7, 20, 33], [41, 5], [60], [70], [2]]
    assert [[len(item) for item in part.items] for part in padded] == [[7, 20], [33], [41], [5], [60], [70], [2]]
