"""Weights on their way from trainer to engines: all tensors in one buffer, which Ray's readers share instead of copying."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, overload

import numpy as np
import torch
from torch import Tensor

Named = tuple[str, Tensor]
ALIGNED_BYTES = 64


class Parcel(Sequence[Named]):
    """Names and tensors in their order, to read from. Ray pickles each tensor by itself otherwise, which costs more than
    the numbers in it."""

    def __init__(self, weights: Sequence[Named]) -> None:
        self.labels: list[tuple[str, torch.dtype, tuple[int, ...], int]] = []
        parts, end = [], 0
        for name, tensor in weights:
            plain = tensor.detach().cpu().contiguous()
            parts.append((end, plain.flatten().view(torch.uint8).numpy()))
            self.labels.append((name, plain.dtype, tuple(plain.shape), end))
            end += -(-plain.nbytes // ALIGNED_BYTES) * ALIGNED_BYTES
        self.data: np.ndarray[Any, Any] = np.empty(end, dtype=np.uint8)
        for start, part in parts:
            self.data[start : start + len(part)] = part

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Named]:
        return (self[index] for index in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Named: ...
    @overload
    def __getitem__(self, index: slice) -> list[Named]: ...
    def __getitem__(self, index: int | slice) -> Named | list[Named]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        name, dtype, shape, start = self.labels[index]
        count = prod(shape)
        if not count:
            return name, torch.empty(shape, dtype=dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what Ray shares is not to be written to, and nobody does
            tensor = torch.frombuffer(self.data, dtype=dtype, count=count, offset=start)
        return name, tensor.view(shape)
