"""Experts of a mixture: one tensor for all of a layer in the trainer and in the engine, one for each in a checkpoint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

OF_CHECKPOINT = re.compile(r"(.{1,400}\.experts)\.(\d{1,6})\.(gate|up|down)_proj\.weight")
"""A checkpoint's name of one matrix of one expert."""
STACKED = re.compile(r"(.{1,400}\.experts)\.(gate_up|down)_proj")
"""A checkpoint's name of the matrices of all experts of a layer, each of columns that are another's rows (Qwen3-VL)."""
TOGETHER = {"gate": "w13_weight", "up": "w13_weight", "down": "w2_weight"}
"""The tensor in which vLLM keeps a matrix of all experts; gate and up of an expert stand in one, one after the other."""
OF_ENGINE = "routed_experts"
"""The name of vLLM's layer of experts within its block."""


ROUTERS = ("TopKRouter", "TopkRouter")
"""The ends of names of transformers' routers; those of the latter compute in 32 bits themselves."""


def together(name: str) -> tuple[str, tuple[int, str]]:
    """The engine's name of the tensor that this one is a part of, and its place in it; the name itself of all but experts."""
    match = OF_CHECKPOINT.fullmatch(name)
    if not match:
        return name, (0, "")
    block, number, which = match.groups()
    return f"{block}.{OF_ENGINE}.{TOGETHER[which]}", (int(number), which)


def of_checkpoint(model: Any, tensors: list[tuple[str, Tensor]]) -> list[tuple[str, Tensor]]:
    """Name and cut the trainer's tensors as a checkpoint has them, where the model has experts."""
    if not has_experts(model):
        return tensors
    from transformers.core_model_loading import revert_weight_conversion

    return turned(list(revert_weight_conversion(model, dict(tensors)).items()))


def turned(tensors: list[tuple[str, Tensor]]) -> list[tuple[str, Tensor]]:
    """Turn the matrices of stacked experts, whose rows a checkpoint has as columns, and the trainer as rows."""
    return [(name, tensor.mT.contiguous() if STACKED.fullmatch(name) else tensor) for name, tensor in tensors]


def singled(tensors: Iterable[tuple[str, Tensor]]) -> Iterator[tuple[str, Tensor]]:
    """Cut a checkpoint's stacked experts into the matrices of each."""
    for name, tensor in tensors:
        match = STACKED.fullmatch(name)
        if not match:
            yield name, tensor
            continue
        block, which = match.groups()
        for number, matrix in enumerate(tensor.mT):
            parts = matrix.chunk(2) if which == "gate_up" else (matrix,)
            for kind, part in zip(("gate", "up") if which == "gate_up" else ("down",), parts, strict=True):
                yield f"{block}.{number}.{kind}_proj.weight", part


def has_experts(model: Any) -> bool:
    """True for a model of transformers with routers."""
    return any(type(module).__name__.endswith(ROUTERS) for module in model.modules())


def rows_of_experts(shape: tuple[int, ...], name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shape and parts of an engine's tensor of all experts, [experts, rows, columns], as rows one behind the other."""
    count, rows, columns = shape
    each = 2 if name.endswith(TOGETHER["up"]) else 1
    return (count * rows, columns), (rows // each,) * (count * each)


def prepared(model: Any) -> None:
    """Put an engine's experts into the form that its processor computes with: without a GPU vLLM 0.32 does so when it starts, and
    not when it takes weights again (`UnquantizedFusedMoEMethod._setup_kernel`)."""
    for layer in _of_engine(model):
        layer.quant_method.moe_kernel.fused_experts.process_weights_after_loading(layer)


def is_of_experts(name: str) -> bool:
    """True for an engine's tensor of all experts."""
    return f".{OF_ENGINE}." in name and name.endswith((TOGETHER["up"], TOGETHER["down"]))


def route_in(model: Any, dtype: str) -> None:
    """Have routers compute their logits in another type than the model: Megatron's `moe_router_dtype`."""
    for router in _routers(model):
        router.forward = _routed(router, getattr(torch, dtype))


def _routed(router: Any, dtype: torch.dtype) -> Any:
    """The forward of transformers' routers with logits, and so shares of experts, of a type."""

    def forward(hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits = linear(hidden.reshape(-1, router.hidden_dim).to(dtype), router.weight.to(dtype))
        scores, chosen = torch.topk(logits.softmax(-1, dtype=torch.float), router.top_k, dim=-1)
        if getattr(router, "norm_topk_prob", True):  # Qwen3-VL always does
            scores = scores / scores.sum(dim=-1, keepdim=True)
        return logits, scores.to(logits.dtype), chosen

    return forward


def _routers(model: Any) -> Iterator[Any]:
    return (module for module in model.modules() if type(module).__name__.endswith(ROUTERS[0]))


def _of_engine(model: Any) -> Iterable[Any]:
    return (module for name, module in model.named_modules() if name.rpartition(".")[2] == OF_ENGINE)
