"""Clusters of other sizes and other GPUs: the fewest GPUs and the cheapest cluster on which a run fits as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rftconf.base.errors import UsageError
from rftconf.base.record import record
from rftconf.budget.facts.gpus import Gpu
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.layout_rules import scaled, shared_gpus, whole_and_split
from rftconf.budget.roles.roles import EngineRole, Setup
from rftconf.budget.roles.setup import BudgetRequest, bounded, setup_of

if TYPE_CHECKING:
    from rftconf.plan.model import Plan

USUAL = ("h100-80g", "h200-141g", "b200-180g", "a100-80g", "h20-96g")
"""Accelerators whose clusters are compared by rent."""


@record
class Change:
    """One value of the plan to change, by its path."""

    path: str
    old: int | float | bool | None
    new: int | float | bool


@record
class Answer:
    """An answer in words, the changes that make it so, and the account that proves it."""

    question: str
    text: str
    changes: tuple[Change, ...]
    budget: Budget | None


def resized(setup: Setup, gpus: int) -> Setup | None:
    """The same run on another number of GPUs; engines and trainer keep their ratio where they have GPUs of their own.

    None where the parallel sizes do not divide.
    """
    split = whole_and_split(setup, gpus)
    if split is None:
        return None
    trainer_gpus, engine_gpus = split
    engines = tuple(_resized_engine(role, setup, trainer_gpus, engine_gpus) for role in setup.engines)
    if any(role is None for role in engines):
        return None
    trainers = tuple(role.on(trainer_gpus) for role in setup.trainers)
    per_node = min(setup.gpus_per_node, gpus)
    roles = tuple(role for role in engines if role is not None)
    return replace(setup, nodes=-(-gpus // per_node), gpus_per_node=per_node, trainers=trainers, engines=roles)


def _resized_engine(role: EngineRole, setup: Setup, trainer: int, rollout: int) -> EngineRole | None:
    """Engines of the policy get what they are told, models on shared GPUs the same part as now."""
    if role.name == "rollout" and not role.own_pool:
        return replace(role, gpus=rollout)
    if role.own_pool or setup.layout != "colocated":
        return role
    size = 1 if role.scorer is not None else role.engine.gpus
    gpus = scaled(role.gpus, shared_gpus(setup), trainer, size)
    return None if gpus is None else replace(role, gpus=gpus)


def on_cluster(plan: Plan, request: BudgetRequest) -> Setup:
    """The run on the cluster that was asked for: where the plan has one of its own, every role keeps its part of it.

    Raises UsageError where the plan's parallel sizes do not divide the other cluster.
    """
    if request.nodes is None and request.gpus_per_node is None:
        return setup_of(plan, request)
    try:
        own = setup_of(plan, replace(request, nodes=None, gpus_per_node=None))
    except UsageError:
        return setup_of(plan, request)
    size = (request.nodes or own.nodes, request.gpus_per_node or own.gpus_per_node)
    if size == (own.nodes, own.gpus_per_node):
        return own
    bounded(*size)
    resized_setup = resized(replace(own, gpus_per_node=size[1]), size[0] * size[1])
    if resized_setup is None:
        raise UsageError(
            f"{size[0]} × {size[1]} GPUs instead of {own.nodes} × {own.gpus_per_node}: the run's parallel sizes and "
            "shares do not divide them; change those in the file first"
        )
    return resized_setup


def sizes(setup: Setup, limit: int = 512) -> Iterator[int]:
    """Cluster sizes worth asking about: powers of two within a node, then whole nodes; and the size it has."""
    yield from sorted({*_round_sizes(setup, limit), setup.total})


def _round_sizes(setup: Setup, limit: int) -> Iterator[int]:
    per_node = max(setup.gpus_per_node, 1)
    count = 1
    while count < per_node:
        yield count
        count *= 2
    nodes = 1
    while nodes * per_node <= limit:
        yield nodes * per_node
        nodes = nodes + 1 if nodes < 4 else nodes * 2


def _fewest(setup: Setup, gpu: Gpu) -> Budget | None:
    """The account of the smallest cluster of this GPU on which the run fits as it is."""
    for gpus in sizes(setup):
        smaller = setup if gpus == setup.total else resized(setup, gpus)
        proof = None if smaller is None else price(smaller, gpu)
        if proof is not None and proof.verdict == "fits" and not proof.problems:
            return proof
    return None


def _of_another_size(question: str, setup: Setup, proof: Budget, text: str) -> Answer:
    smaller = proof.setup
    changes = (
        Change("cluster.nodes", setup.nodes, smaller.nodes),
        Change("cluster.gpus_per_node", setup.gpus_per_node, smaller.gpus_per_node),
    )
    return Answer(question, text, tuple(c for c in changes if c.old != c.new), proof)


def fewest_gpus(setup: Setup, gpu: Gpu) -> Answer | None:
    """The smallest cluster of this GPU on which the run fits as it is."""
    question, proof = f"fewest GPUs ({gpu.title})", _fewest(setup, gpu)
    if proof is None:
        return Answer(question, f"none up to 512 of them fit with these settings; now {setup.total}", (), None)
    of = proof.setup
    peak = proof.deciding.deciding.size / (1 << 30)
    text = f"{of.total} ({of.nodes} × {of.gpus_per_node}), peak {peak:.1f} of {gpu.usable_gib:g} GiB; now {setup.total}"
    return _of_another_size(question, setup, proof, text)


def cheapest_cluster(setup: Setup, gpus: tuple[Gpu, ...]) -> Answer:
    """Return the cluster with the lowest rent among the smallest ones of several kinds of GPU."""
    question = "cheapest cluster"
    proofs = [proof for gpu in gpus if (proof := _fewest(setup, gpu)) is not None]
    if not proofs:
        return Answer(question, f"none of {', '.join(gpu.name for gpu in gpus)} fits up to 512 GPUs", (), None)
    best = min(proofs, key=lambda proof: (proof.setup.total * proof.gpu.price, proof.setup.total))
    rent = best.setup.total * best.gpu.price
    text = f"{best.setup.total} × {best.gpu.name}, about {rent:.2f} USD an hour; rents are rough and only rank clusters"
    return _of_another_size(question, setup, best, text)
