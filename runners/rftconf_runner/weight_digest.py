"""Digests of tensors, computed on the device that holds them: whole numbers, the same on every device and however a tensor is cut.

A tensor's bits are words of 64, numbered from its first number. Each word is multiplied by an odd number that belongs to its place, and
the products are added up modulo 2**64, in two lanes with multipliers of their own; the second lane adds a word's upper bits to it
first. The sum of a tensor's parts is the sum of the whole, so parts may come in any order. SHA-256 is of the two sums, the shape and the
type alone.

One number that changes always shows, because an odd factor loses no bit modulo 2**64. Of other changes a lane overlooks one in
2**(64 - k), where the k lowest bits of every word in it are as before. What is worst are signs alone, each of the last number in its
word: k is 63 in one lane and 21 in the other, a chance of 2**-44. This is for faults, not for forgers.

A word costs ten passes of whole-number operations, each of which reads and writes at most 16 bytes: of 3.1 GB of weights (387 million words)
about 60 GB, 20 ms at a GPU's 3 TB/s, where a copy to the host alone takes 0.1 s at 32 GB/s and SHA-256 over it a second or more.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

import torch
from torch import Tensor

WORD_BYTES = 8
LANES = 2
BLOCK_WORDS = 1 << 14
"""Words with multipliers of their own. A word's multiplier is that of its place within a block times the block's."""
BLOCKS_AT_ONCE = {"cpu": 1 << 1, "cuda": 1 << 8}
"""Blocks worked on at a time: 256 KiB, which stay in a processor's cache and which PyTorch computes in one thread, here one of several
already; 32 MiB keep a GPU busy."""
LARGE_BYTES = 1 << 20
"""A tensor in the host's memory that is digested beside others."""
MOST_AT_ONCE = 4
"""Tensors."""
BELOW_SIGNS = {2: 0x7FFF7FFF7FFF7FFF, 4: 0x7FFFFFFF7FFFFFFF, 8: 0x7FFFFFFFFFFFFFFF}
"""A word's bits without the sign of each number, by a number's bytes."""
FOLD = 42
"""Bits that the second lane's word is shifted by, to be added to itself: its highest come to where a product keeps them."""
IN_BLOCK, OF_BLOCK = 0, 1 << 40
"""First counters of the multipliers of words in a block, and of those of blocks."""
GOLDEN, MIXERS = -0x61C8864680B583EB, ((30, -0x40A7B892E31B1A47), (27, -0x6B2FB644ECCEEE15), (31, 1))
"""Constants of the generator splitmix64: the step of its counter, then shifts and factors, in 64 bits with a sign."""


def digest(*parts: Tensor) -> str:
    """Return the digest of the numbers of all parts, one behind the other, and of the shape of the whole; 0 and -0 are one number."""
    return digests([("", parts)])[""]


def digests(tensors: Iterable[tuple[str, Sequence[Tensor]]]) -> dict[str, str]:
    """Return the digest of each tensor's parts: on a device one after the other, and the host waits for it once, after the last; in the
    host's memory of large ones as many at once as PyTorch has threads, up to `MOST_AT_ONCE`."""
    known, running = list[tuple[str, tuple[int, ...], torch.dtype, Future[Tensor]]](), deque[Future[Tensor]]()
    most = min(torch.get_num_threads(), MOST_AT_ONCE)
    with ThreadPoolExecutor(most) as pool:
        for name, parts in tensors:
            large = not parts[0].is_cuda and sum(part.nbytes for part in parts) >= LARGE_BYTES
            lanes = pool.submit(_sums_of, parts) if large else _done(_sums_of(parts))
            known.append((name, shape_of(parts), parts[0].dtype, lanes))
            running += [lanes] if large else []
            if len(running) > most:  # no more copies of parts at once than that
                running.popleft().result()
    texts = seals([(shape, dtype, lanes.result()) for _, shape, dtype, lanes in known])
    return {name: text for (name, *_), text in zip(known, texts, strict=True)}


def seals(known: Sequence[tuple[tuple[int, ...], torch.dtype, Tensor]]) -> list[str]:
    """Return the digest of each tensor of which shape, type and sums are known."""
    if not known:
        return []
    numbers = torch.stack([lanes.to(known[0][2].device) for *_, lanes in known]).tolist()
    texts = (f"{shape} {dtype} {lanes}" for (shape, dtype, _), lanes in zip(known, numbers, strict=True))
    return [hashlib.sha256(text.encode()).hexdigest() for text in texts]


def shape_of(parts: Sequence[Tensor]) -> tuple[int, ...]:
    """Return the shape of parts whose rows are one behind the other."""
    first, *others = parts
    return (len(first) + sum(map(len, others)), *first.shape[1:]) if others else tuple(first.shape)


def sums(part: Tensor, start: int = 0) -> Tensor:
    """Return each lane's sum of a part of a tensor, whose first number is the tensor's number `start`."""
    own = part.detach().contiguous().flatten().view(torch.uint8)
    before = start * part.element_size() % WORD_BYTES
    behind = -(before + len(own)) % WORD_BYTES
    if before or behind or own.storage_offset() % WORD_BYTES:  # zeros add nothing
        whole = own.new_zeros(before + len(own) + behind)
        whole[before : before + len(own)] = own
        own = whole
    mask = BELOW_SIGNS.get(part.element_size(), 0) if part.is_floating_point() else 0
    return _of_words(own.view(torch.int64), start * part.element_size() // WORD_BYTES, mask)


def _done(lanes: Tensor) -> Future[Tensor]:
    future = Future[Tensor]()
    future.set_result(lanes)
    return future


def _sums_of(parts: Sequence[Tensor]) -> Tensor:
    lanes, start = sums(parts[0]), parts[0].numel()
    for part in parts[1:]:
        lanes += sums(part, start).to(lanes.device)
        start += part.numel()
    return lanes


def _of_words(words: Tensor, first: int, mask: int) -> Tensor:
    """Return the sums of words of which the first has number `first`: what is left of a block, whole blocks, what begins one."""
    lanes, done = words.new_zeros(LANES), 0
    in_block = _multipliers(IN_BLOCK, BLOCK_WORDS, words.device)
    blocks = _multipliers(OF_BLOCK, _power_above((first + len(words)) // BLOCK_WORDS), words.device)
    most = BLOCKS_AT_ONCE.get(words.device.type, BLOCKS_AT_ONCE["cpu"])
    while done < len(words):
        block, inside = divmod(first + done, BLOCK_WORDS)
        count, left = BLOCK_WORDS - inside, len(words) - done
        whole = 1 if inside or left < BLOCK_WORDS else min(left // BLOCK_WORDS, most)
        count = min(count * whole, left)
        rows = _unsigned_zeros(words[done : done + count].view(whole, -1), mask)
        own = in_block[:, inside : inside + rows.shape[1]]
        first_lane = (rows * own[0]).sum(1)
        second_lane = (rows >> FOLD).add_(rows).mul_(own[1]).sum(1)
        lanes += (torch.stack((first_lane, second_lane)) * blocks[:, block : block + whole]).sum(1)
        done += count
    return lanes


def _unsigned_zeros(words: Tensor, mask: int) -> Tensor:
    """Take the sign off zeros. What is below a sign, plus the largest there is, reaches the sign's place unless it is 0."""
    return (words & mask).add_(mask).bitwise_or_(mask).bitwise_and_(words) if mask else words


def _power_above(number: int) -> int:
    return 1 << max(number, 1).bit_length()


@cache
def _multipliers(begin: int, count: int, device: torch.device) -> Tensor:
    """Return odd numbers [lane, place], which are splitmix64's of a counter: the same however many are asked for."""
    mixed = (torch.arange(begin, begin + LANES * count) + 1) * GOLDEN
    for shift, factor in MIXERS:
        mixed = (mixed ^ ((mixed >> shift) & ((1 << (64 - shift)) - 1))) * factor
    return (mixed | 1).view(count, LANES).T.contiguous().to(device)
