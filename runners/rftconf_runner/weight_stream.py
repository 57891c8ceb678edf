"""Weights on their way from a trainer's rank to the engine on the same device: bucket after bucket through memory that both see.

The sender fills one buffer, and the receiver copies what is in it before it asks for the next: to ask is to acknowledge. A tensor larger than a bucket
goes in pieces, so the buffer has the stated size whatever the model. Beside it a sync takes one gathered tensor in the trainer and
what the engine has not put in its place yet, most often a layer; nothing passes through the host's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from rftconf_runner.weight_bucket import ALIGNED_BYTES, Named

BUCKET_BYTES = 256 << 20
"""A bucket: 60 of them for 15 GB of weights, each of which costs a call of 1 ms between processes."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of a tensor in a bucket: whose they are, where they begin in the tensor and in the bucket, and how many."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    first: int
    place: int
    size: int


Bucket = Sequence[Piece]
Shared = tuple[Callable[..., Tensor], tuple[Any, ...]]
"""How another process on the device opens a buffer: a function and its arguments, of which a handle of CUDA is one."""


class Sender:
    """A rank's weights in buckets. Nothing of a tensor is kept once its last piece is in a bucket."""

    def __init__(self, weights: Iterable[Named], device: str, size: int = BUCKET_BYTES) -> None:
        self.buffer = torch.empty(size, dtype=torch.uint8, device=device)
        self.weights, self.left = iter(weights), list[tuple[Named, int]]()

    def shared(self) -> Shared:
        """Return how the receiver opens the buffer, which it does once: PyTorch counts who has it open. Raises RuntimeError where the
        device's memory cannot be shared."""
        if not self.buffer.is_cuda:
            return _of_the_host, self.buffer.untyped_storage()._share_filename_cpu_()
        from torch.multiprocessing.reductions import reduce_tensor

        opening, arguments = reduce_tensor(self.buffer)
        return opening, arguments

    def next(self) -> Bucket:
        """Fill the buffer again, of which the receiver has copied everything; nothing after the last."""
        pieces, end = list[Piece](), 0
        while end < len(self.buffer) and (item := self._next_tensor()):
            (name, tensor), first = item
            numbers = tensor.flatten().view(torch.uint8)
            size = min(len(numbers) - first, len(self.buffer) - end)
            self.buffer[end : end + size].copy_(numbers[first : first + size])
            pieces.append(Piece(name, tensor.dtype, tuple(tensor.shape), first, end, size))
            if first + size < len(numbers):
                self.left.append(((name, tensor), first + size))
            end += -(-size // ALIGNED_BYTES) * ALIGNED_BYTES
        wait_for(self.buffer)
        return pieces

    def _next_tensor(self) -> tuple[Named, int] | None:
        """Return what the last bucket had no room for, or the next tensor, and its first byte that is not sent."""
        if self.left:
            return self.left.pop()
        return next((((name, tensor.detach().contiguous()), 0) for name, tensor in self.weights), None)


def received(ask: Callable[[], Bucket], buffer: Tensor) -> Iterator[Named]:
    """Yield a sender's weights as they come in its `buffer`: `ask` returns its next bucket. Each tensor is the receiver's own."""
    whole, rest = buffer, 0
    while pieces := ask():
        for piece in pieces:
            if not piece.first:
                whole = torch.empty(piece.shape, dtype=piece.dtype, device=buffer.device)
                rest = whole.nbytes
            numbers = whole.flatten().view(torch.uint8)
            numbers[piece.first : piece.first + piece.size] = buffer[piece.place : piece.place + piece.size]
            rest -= piece.size
            if not rest:
                yield piece.name, whole
        wait_for(buffer)


def opened(shared: Shared) -> Tensor:
    """Open a sender's buffer in this process. Raises RuntimeError where it cannot be."""
    opening, arguments = shared
    return opening(*arguments)


def _of_the_host(manager: bytes, handle: bytes, size: int) -> Tensor:
    """Open a buffer in memory that the processes of a host share: what stands in for a device's."""
    storage = torch.UntypedStorage._new_shared_filename_cpu(manager, handle, size)
    return torch.empty(0, dtype=torch.uint8).set_(storage)


def wait_for(tensor: Tensor) -> None:
    """Wait until the device has done what it was told with a tensor: another process reads or writes it next."""
    if tensor.is_cuda:
        torch.cuda.synchronize(tensor.device)
