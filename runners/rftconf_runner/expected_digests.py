"""Reckons the digests that an engine should have from weights that come one after another: no tensor is kept for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from rftconf_runner.weight_bucket import Named
from rftconf_runner.weight_digest import LANES, seals, shape_of, sums
from rftconf_runner.weights import Digests, Layout, assigned


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a checkpoint's tensor that one of the engine's tensors has from its number `start` on, as a view."""

    whole: str
    size: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    start: int


class Expectation:
    """The digests that one rank of an engine should give, of weights with these shapes. They come in any order, each once."""

    def __init__(self, shapes: Iterable[Named], engine: Layout) -> None:
        """Take shapes as tensors of the device `meta`, which have no numbers."""
        named = list(shapes)
        names = {tensor.untyped_storage()._cdata: name for name, tensor in named}
        own = assigned(named, engine)
        self.shapes = {name: (shape_of(parts), parts[0].dtype) if parts else None for name, parts in own.items()}
        self.shares = dict[str, list[Share]]()
        for whole, parts in own.items():
            start = 0
            for part in parts:
                view = Share(whole, tuple(part.shape), part.stride(), int(part.storage_offset()), start)
                self.shares.setdefault(names[part.untyped_storage()._cdata], []).append(view)
                start += part.numel()
        self.lanes = dict[str, Tensor]()

    def add(self, name: str, tensor: Tensor) -> None:
        """Take a tensor of the checkpoint's into account, where it is."""
        tensor = tensor.detach().contiguous()
        for share in self.shares.get(name, ()):
            own = tensor.as_strided(share.size, share.strides, tensor.storage_offset() + share.offset)
            lanes = sums(own, share.start)
            self.lanes[share.whole] = self.lanes[share.whole] + lanes if share.whole in self.lanes else lanes

    def noting(self, weights: Iterable[Named]) -> Iterator[Named]:
        """Take each of these into account when it is asked for."""
        for name, tensor in weights:
            self.add(name, tensor)
            yield name, tensor

    def digests(self) -> Digests:
        """Return them after the last; empty where parts do not make up the whole."""
        known = {name: shape for name, shape in self.shapes.items() if shape}
        texts = seals(
            [(*shape, self.lanes.get(name, torch.zeros(LANES, dtype=torch.int64))) for name, shape in known.items()]
        )
        return dict.fromkeys(self.shapes, "") | dict(zip(known, texts, strict=True))
