"""One of a plan's models is what veRL serves as its reward model, on the trainer's GPUs or on its own."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Expr
from rftconf.mappers.context import WriteContext

AUXILIARY, LAYOUT = "stage.placement.auxiliary", "stage.placement.layout"
ASKED_SINCE = "0.7.1"
"""Since then the reward model is a server that a reward function may ask in words; before, it gives a number."""


def served(w: WriteContext) -> str:
    """The path, with its last dot, of the model that veRL serves: the first that scores answers; empty when none does."""
    roles = ("reward", "judge") if w.since(ASKED_SINCE) else ("reward",)
    for index in range(w.items(AUXILIARY)):
        prefix = f"{AUXILIARY}[{index}]."
        if w.plan(prefix + "role") in roles and w.plan(prefix + "engine") != "external":
            return prefix
    return ""


def needs_pool(w: WriteContext) -> str:
    """Explain why the reward model must have GPUs of its own; empty where it may share the trainer's."""
    if w.plan(LAYOUT) != "colocated" and w.since("0.9.0"):
        return "separate_async asserts a pool of its own for the reward model"
    refills = w.plan("stage.algorithm.filters[0].action") == "refill"
    return "filter_groups needs the reward before a batch is whole, so from a pool of its own" if refills else ""


def teacher(w: WriteContext) -> str:
    """The path, with its last dot, of the model that the student follows; empty where there is none."""
    taught = w.plan("stage.kind") == "distill"
    paths = [f"{AUXILIARY}[{index}]." for index in range(w.items(AUXILIARY))] if taught else []
    return next((prefix for prefix in paths if w.plan(prefix + "role") == "teacher"), "")


def pool_gpus(w: WriteContext) -> Any:
    """GPUs of the own pools of reward model and teacher that the plan's cluster holds; 0 where there is none."""
    pools = [
        w.plan(prefix + "gpus") for prefix in (served(w), teacher(w)) if prefix and w.plan(prefix + "own_pool") is True
    ]
    return sum(gpus for gpus in pools if gpus is not None)


def shape(gpus: Any, node: Any) -> tuple[Any, Any]:
    """Nodes and GPUs a node of a pool of `gpus`, on nodes of `node` GPUs."""
    if isinstance(gpus, Expr) or isinstance(node, Expr) or gpus is None or node is None:
        return 1, gpus
    if gpus < 1 or node < 1:
        return 1, gpus
    nodes = next(n for n in range(max(1, -(-gpus // node)), gpus + 1) if gpus % n == 0)
    return nodes, gpus // nodes
