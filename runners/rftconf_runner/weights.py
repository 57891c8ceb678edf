"""Does an engine hold the trainer's weights? A digest of each tensor, as the engine names and fuses them."""

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
class Held:
    """What an engine holds: digests by its own names, and which of the checkpoint's tensors it keeps as one."""

    digests: Mapping[str, str]
    fused: Mapping[str, Sequence[str]]


def digest(tensor: Tensor) -> str:
    """Of the numbers and the shape; 0 and -0 are one number."""
    plain = (tensor.detach().cpu() + 0.0).contiguous()
    found = hashlib.sha256(f"{tuple(plain.shape)}".encode())
    found.update(plain.flatten().view(torch.uint8).numpy())
    return found.hexdigest()


def held(model: Any, rows: Mapping[str, int]) -> Held:
    """Of a vLLM model. `rows` cuts what the engine pads: a vocabulary is made a multiple of 64.

    A head that is tied to the embedding shares its parameter, and on a CPU still computes with a form of its own.
    """
    modules = dict(model.named_modules())
    own_form = {f"{name}.weight": module for name, module in modules.items() if hasattr(module, "cpu_linear")}
    found = {}
    for name in dict.fromkeys([*(name for name, _ in model.named_parameters()), *own_form]):
        value = _by_unit_vectors(own_form[name]) if name in own_form else model.get_parameter(name)
        found[name] = digest(value[: rows.get(name, len(value))])
    return Held(found, getattr(model, "packed_modules_mapping", {}))


def _by_unit_vectors(layer: Any) -> Tensor:
    """The weight of a layer that keeps it in a form of its own: vLLM on a CPU gives it to oneDNN, and drops a linear one's."""
    size = getattr(layer, "input_size_per_partition", None) or layer.embedding_dim
    eye = torch.eye(size, dtype=layer.params_dtype)
    parts = [layer.quant_method.apply(layer, rows) for rows in eye.split(UNIT_ROWS)]
    return torch.cat(parts).t()


def expected(weights: Iterable[tuple[str, Tensor]], fused: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Digests of the trainer's weights under the engine's names."""
    parts: dict[str, list[Tensor]] = {}
    for name, tensor in weights:
        known = ((whole, part) for whole, names in fused.items() for part in names if f".{part}." in name)
        whole, part = next(known, ("", ""))
        parts.setdefault(name.replace(f".{part}.", f".{whole}.") if whole else name, []).append(tensor)
    return {name: digest(torch.cat(tensors)) for name, tensors in parts.items()}


def differing(weights: Sequence[tuple[str, Tensor]], engine: Held) -> list[str]:
    """Names of tensors that the engine does not hold as the trainer does, or that only one of them has.

    A head that is tied to the embedding may have no tensor of its own, in an engine or in the trainer.
    """
    wanted = expected(weights, engine.fused)
    tied = {name for name in wanted if name not in engine.digests and wanted[name] in engine.digests.values()}
    tied |= {name for name in engine.digests if name not in wanted and engine.digests[name] in wanted.values()}
    names = sorted((wanted.keys() | engine.digests.keys()) - tied)
    return [name for name in names if wanted.get(name) != engine.digests.get(name)]
