"""The division of an update: into ranks' shares, those into the plan's micro-batches, these into passes of like length.

Every rank runs as many passes as the others, which would wait for it otherwise: each knows all shares, and cuts its own
into as many as the one that needs most.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Generic, TypeVar

from rftconf_runner.job import Micro

LEAST_TOKENS_ALONE, LEAST_TOKENS_GATHERED = 512, 4096
"""What a further pass must save: it starts every layer once more, and of several ranks gathers it. The latter is about
what a GPU computes while its weights come over a network, which depends on no model's size since both grow with it (reckoned),
or while a processor launches a pass of a small model: of 1.5 B parameters, an H100 was busy for 2.5 s in an update of 7.9 s
that was cut by the former (benches/results)."""

Item = TypeVar("Item", bound=Sized)
Lengths = Sequence[int]
Cut = list[list[int]]
"""Numbers of sequences, part by part."""


@dataclass(frozen=True, slots=True)
class MicroBatch(Generic[Item]):
    """A micro-batch of the plan and its passes, each with sequences and their numbers within the rank's share."""

    items: Sequence[Item]
    passes: Sequence[tuple[Sequence[int], Sequence[Item]]]


def share(items: Sequence[Item], rank: int, ranks: int) -> Sequence[Item]:
    """The part of one of `ranks` ranks."""
    each = len(items) // ranks
    return items[rank * each : (rank + 1) * each]


def micro_batches(
    items: Sequence[Item], micro: Micro, rank: int = 0, ranks: int = 1, device: str = "cpu"
) -> Iterator[MicroBatch[Item]]:
    """Cut a rank's share into micro-batches: of a fixed number of sequences, or filled up to a number of tokens, padding included where there
    is some."""
    own = share(items, rank, ranks)
    of_all = getattr(items, "lengths", None) or [len(item) for item in items]
    lengths = [share(of_all, index, ranks) for index in range(ranks)]
    parts = [_filled(numbers, micro) for numbers in lengths]
    most = max(map(len, parts))
    for of_ranks in zip(*(_into(part, most) for part in parts), strict=True):
        passes = [of_ranks[rank]]
        if not micro.packs:
            least = LEAST_TOKENS_ALONE if ranks == 1 and device == "cpu" else LEAST_TOKENS_GATHERED
            target = max(_worth(part, numbers, least) for part, numbers in zip(of_ranks, lengths, strict=True))
            passes = _by_length(of_ranks[rank], lengths[rank], min(target, *map(len, of_ranks)))
        yield MicroBatch(
            [own[index] for index in of_ranks[rank]], [(part, [own[index] for index in part]) for part in passes]
        )


def _filled(lengths: Lengths, micro: Micro) -> Cut:
    """Fill micro-batches with the sequences in their order."""
    numbers = range(len(lengths))
    if not micro.tokens:
        return [list(numbers[index : index + micro.sequences]) for index in range(0, len(lengths), micro.sequences)]
    parts: Cut = []
    longest = tokens = 0
    for index in numbers:
        longest, tokens = max(longest, lengths[index]), tokens + lengths[index]
        if not parts or (tokens if micro.packs else longest * (len(parts[-1]) + 1)) > micro.tokens:
            parts.append([])
            longest = tokens = lengths[index]
        parts[-1].append(index)
    return parts


def _into(parts: Cut, count: int) -> Cut:
    """Split into `count` parts, by halving the one of most sequences."""
    new_parts = list(parts)
    while len(new_parts) < count:
        index = max(range(len(new_parts)), key=lambda index: len(new_parts[index]))
        half = -(-len(new_parts[index]) // 2)
        new_parts[index : index + 1] = [new_parts[index][:half], new_parts[index][half:]]
    return new_parts


def _worth(part: Sequence[int], lengths: Lengths, least: int) -> int:
    """Passes of like length, as many as save so many padded tokens each."""
    longest_first = sorted((lengths[index] for index in part), reverse=True)
    ends = [0, len(part)]
    while (best := _best(longest_first, ends))[0] >= least:
        ends = sorted([*ends, best[1]])
    return len(ends) - 1


def _by_length(part: Sequence[int], lengths: Lengths, count: int) -> Cut:
    """Split into `count` passes, each of sequences longer than those of the next; one pass keeps their own order."""
    if count == 1:
        return [list(part)]
    order = sorted(part, key=lambda index: -lengths[index])
    ends = [0, len(order)]
    while len(ends) <= count:
        ends = sorted([*ends, _best([lengths[index] for index in order], ends)[1]])
    return [order[begin:end] for begin, end in itertools.pairwise(ends)]


def _best(longest_first: Lengths, ends: Sequence[int]) -> tuple[int, int]:
    """The padded tokens that one more cut saves at most, and where it is; 0 tokens at 0 where nothing is left to cut."""
    pieces = itertools.pairwise(ends)
    saved = (
        ((end - index) * (longest_first[begin] - longest_first[index]), index)
        for begin, end in pieces
        for index in range(begin + 1, end)
    )
    return max(saved, default=(-1, 0))
