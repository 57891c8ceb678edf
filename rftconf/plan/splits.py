"""Splits of a cluster between a trainer, its engines and auxiliary models: what is legal, and which is best."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.enumeration import count_of
from rftconf.base.record import record
from rftconf.plan.ranks import ENGINE


@record
class Rules:
    """A target's rules for splitting GPUs: the `sizes` of one of its engines, and `node_of_both` as in `Demand`."""

    sizes: tuple[str, ...] = ENGINE
    node_of_both: bool = True


@record
class Split:
    """GPUs of the trainer, of the rollout engines and of auxiliary models; `engines` is rollout GPUs over engine size."""

    trainer: int
    rollout: int
    auxiliary: int
    engines: int

    def __str__(self) -> str:
        extra = f", {self.auxiliary} auxiliary" if self.auxiliary else ""
        return f"{self.rollout} rollout ({count_of(self.engines, 'engine')}) + {self.trainer} trainer{extra}"


@record
class Demand:
    """The conditions of a split. `update` is G [sequences] or, where `of_choices`, a number that divides each G there may be.

    `rank_gpus`: GPUs of one data-parallel rank. `expert_gpus`: GPUs that hold every expert once; Megatron wants whole copies of the experts, too.
    `node_of_both`: in a cluster of several nodes one may hold engines and trainer.
    """

    nodes: int
    gpus_per_node: int
    engine_gpus: int
    auxiliary_gpus: int
    update: int | None
    rank_gpus: int
    expert_gpus: int = 1
    node_of_both: bool = True
    of_choices: bool = False

    @property
    def sequences(self) -> str:
        """Tell the size of an update for a sentence."""
        return f"{'a multiple of ' if self.of_choices else ''}{self.update} sequences an update"

    @property
    def total(self) -> int:
        """Count the GPUs of all nodes."""
        return self.nodes * self.gpus_per_node


def on_whole_nodes(trainer: int, demand: Demand) -> bool:
    """The trainer fills nodes completely, or fits one where nodes may be shared or there is one only (H22)."""
    within = trainer <= demand.gpus_per_node and (demand.node_of_both or demand.nodes == 1)
    return within or trainer % demand.gpus_per_node == 0


def feeds_all_ranks(trainer: int, demand: Demand) -> bool:
    """G is a multiple of the data-parallel size (H9), and the trainer whole copies of the model and its experts."""
    if trainer % demand.rank_gpus or trainer % demand.expert_gpus:
        return False
    return demand.update is None or demand.update % (trainer // demand.rank_gpus) == 0


def feasible_splits(demand: Demand) -> list[Split]:
    """All legal splits, best first: the trainer's share closest to half, the larger trainer on a tie."""
    splits = []
    for engines in range(1, demand.total // demand.engine_gpus + 1):
        rollout = engines * demand.engine_gpus
        trainer = demand.total - rollout - demand.auxiliary_gpus
        if trainer > 0 and on_whole_nodes(trainer, demand) and feeds_all_ranks(trainer, demand):
            splits.append(Split(trainer, rollout, demand.auxiliary_gpus, engines))
    return sorted(splits, key=lambda s: (abs(2 * s.trainer - demand.total), -s.trainer))


def ways_out(demand: Demand) -> tuple[str, ...]:
    """Clusters of the same node size, and update sizes, that would work."""
    ways: list[str] = []
    for nodes in range(1, 4 * demand.nodes + 1):
        splits = feasible_splits(replace(demand, nodes=nodes))
        if splits and len(ways) < 4:
            ways.append(f"{nodes} x {demand.gpus_per_node} GPUs: {splits[0]}")
    for split in feasible_splits(replace(demand, update=None))[:3]:
        ranks = split.trainer // demand.rank_gpus
        ways.append(f"{split}, with sequences an update a multiple of {ranks}")
    return tuple(ways)
