"""Does an engine hold the trainer's weights? A digest of each tensor, as the engine names, fuses and divides them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

UNIT_ROWS = 512
"""Unit vectors that a layer is asked for at a time."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one rank of an engine holds of a tensor: its digest and size, the rows of each tensor that is fused into it,
    and whether it is of the vocabulary, whose rows are padded before they are divided."""

    digest: str
    shape: tuple[int, ...]
    parts: tuple[int, ...] = ()
    padded: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """What rank `rank` of an engine of `ranks` holds, by the engine's own names, and which of the checkpoint's tensors it
    keeps as one."""

    pieces: Mapping[str, Piece]
    fused: Mapping[str, Sequence[str]]
    rank: int = 0
    ranks: int = 1


def digest(tensor: Tensor) -> str:
    """Of the numbers and the shape; 0 and -0 are one number."""
    plain = (tensor.detach().cpu() + 0.0).contiguous()
    found = hashlib.sha256(f"{tuple(plain.shape)}".encode())
    found.update(plain.flatten().view(torch.uint8).numpy())
    return found.hexdigest()


def held(model: Any, rows: Mapping[str, int], rank: int = 0, ranks: int = 1) -> Held:
    """Of a vLLM model. `rows` cuts what the engine pads: a vocabulary is made a multiple of 64.

    A head that is tied to the embedding shares its parameter, and on a CPU still computes with a form of its own.
    """
    modules = dict(model.named_modules())
    own_form = {f"{name}.weight": module for name, module in modules.items() if hasattr(module, "cpu_linear")}
    found = {}
    for name in dict.fromkeys([*(name for name, _ in model.named_parameters()), *own_form]):
        value = _by_unit_vectors(own_form[name]) if name in own_form else model.get_parameter(name).detach()
        layer = modules[name.rpartition(".")[0]]
        padded = hasattr(layer, "num_embeddings_per_partition")
        real = max(rows.get(name, ranks * len(value)) - rank * len(value), 0) if padded else len(value)
        parts = tuple(getattr(layer, "output_partition_sizes", ()))
        found[name] = Piece(digest(value[:real]), tuple(value.shape), parts if len(parts) > 1 else (), padded)
    return Held(found, getattr(model, "packed_modules_mapping", {}), rank, ranks)


def _by_unit_vectors(layer: Any) -> Tensor:
    """The weight of a layer that keeps it in a form of its own: vLLM on a CPU gives it to oneDNN, and drops a linear one's."""
    size = getattr(layer, "input_size_per_partition", None) or layer.embedding_dim
    eye = torch.eye(size, dtype=layer.params_dtype)
    parts = [layer.quant_method.apply(layer, rows) for rows in eye.split(UNIT_ROWS)]
    return torch.cat(parts).t()


def expected(weights: Iterable[tuple[str, Tensor]], engine: Held) -> dict[str, str]:
    """Digests of the trainer's weights under the engine's names, divided as the engine's ranks divide them; empty where
    their parts do not make up the whole."""
    tensors: dict[str, list[Tensor]] = {}
    for name, tensor in weights:
        known = ((whole, part) for whole, names in engine.fused.items() for part in names if f".{part}." in name)
        whole, part = next(known, ("", ""))
        tensors.setdefault(name.replace(f".{part}.", f".{whole}.") if whole else name, []).append(tensor)
    return {name: _own(parts, _piece(name, parts, engine), engine) for name, parts in tensors.items()}


def _piece(name: str, parts: Sequence[Tensor], engine: Held) -> Piece | None:
    """What the engine holds under this name; where it has nothing, an embedding that a tied head may be."""
    tied = (piece for piece in engine.pieces.values() if piece.padded and piece.shape[1:] == parts[0].shape[1:])
    return engine.pieces.get(name) or next(tied, None)


def _own(tensors: Sequence[Tensor], piece: Piece | None, engine: Held) -> str:
    if piece is None:
        return digest(_joined(tensors))
    sizes = piece.parts if len(piece.parts) == len(tensors) else (piece.shape[0],)
    if len(sizes) != len(tensors):
        return ""
    cut = [_cut(tensor, (size, *piece.shape[1:]), piece, engine) for tensor, size in zip(tensors, sizes, strict=True)]
    found = [part for part in cut if part is not None]
    return digest(_joined(found)) if len(found) == len(cut) else ""


def _joined(parts: Sequence[Tensor]) -> Tensor:
    """One behind the other; one alone is not copied."""
    return parts[0] if len(parts) == 1 else torch.cat(list(parts))


def _cut(tensor: Tensor, shape: tuple[int, ...], piece: Piece, engine: Held) -> Tensor | None:
    """This rank's part of a whole tensor, by its number: ranks that are more than parts hold the same in turn. None where
    parts of this shape leave something of the tensor to nobody."""
    if len(shape) != tensor.dim():
        return None
    for axis, (whole, own) in enumerate(zip(tensor.shape, shape, strict=True)):
        if piece.padded and axis == 0:
            start, size = engine.rank * own, own
            if own * engine.ranks < whole:
                return None
        elif own == 0 or whole % own or (engine.ranks * own) % whole:
            return None
        else:
            start, size = engine.rank // (engine.ranks * own // whole) * own, own
        start = min(start, whole)
        tensor = tensor.narrow(axis, start, min(size, whole - start))
    return tensor


def differing(weights: Sequence[tuple[str, Tensor]], engine: Held) -> list[str]:
    """Names of tensors that the engine does not hold as the trainer does, or that only one of them has.

    A head that is tied to the embedding may have no tensor of its own, in an engine or in the trainer.
    """
    wanted, found = expected(weights, engine), {name: piece.digest for name, piece in engine.pieces.items()}
    tied = {name for name in wanted if name not in found and wanted[name] in found.values()}
    tied |= {name for name in found if name not in wanted and found[name] in wanted.values()}
    names = sorted((wanted.keys() | found.keys()) - tied)
    return [name for name in names if wanted.get(name) != found.get(name)]
