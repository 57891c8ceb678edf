"""GPUs form pools; all GPUs of a pool hold the same roles."""

from __future__ import annotations

from itertools import pairwise

from rftconf.base.record import record
from rftconf.budget.roles.roles import EngineRole, Setup, TrainerRole


@record
class Pool:
    """GPUs `first` to `first + count - 1` (counted over all nodes) that all hold the same roles."""

    name: str
    first: int
    count: int
    trainers: tuple[TrainerRole, ...]
    engines: tuple[EngineRole, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, trainers first."""
        return (*(role.name for role in self.trainers), *(role.name for role in self.engines))


def pools(setup: Setup) -> tuple[Pool, ...]:
    """Disjoint pools in the order in which GPUs are drawn.

    Shared GPUs come first. Apart from each other, engines come before further models, and trainers take the last GPUs,
    so that a trainer of whole nodes has whole nodes.
    """
    trainers = max((role.job.gpus for role in setup.trainers), default=0)
    if setup.layout == "disaggregated":
        rows, start = _in_row(setup)
        trainer = max(start, setup.total - trainers) if trainers else 0
        return _cut(setup, trainer, rows | _guests(setup, rows, trainer, trainers))
    hosts = {role.name: 0 for role in setup.engines if not role.own_pool and not role.beside}
    start = max([trainers, *(_gpus(setup, name) for name in hosts)])
    for role in setup.engines:
        if role.own_pool:
            hosts[role.name] = start
            start += role.gpus
    return _cut(setup, 0, hosts | _guests(setup, hosts, 0, trainers))


def _gpus(setup: Setup, name: str) -> int:
    return next(role.gpus for role in setup.engines if role.name == name)


def _in_row(setup: Setup) -> tuple[dict[str, int], int]:
    """Engines with GPUs of their own, one after the other: names to first GPUs, and the first that is left."""
    starts, start = {}, 0
    for role in sorted(setup.engines, key=lambda role: role.own_pool):
        if not role.beside:
            starts[role.name] = start
            start += role.gpus
    return starts, start


def _guests(setup: Setup, hosts: dict[str, int], trainer: int, trainers: int) -> dict[str, int]:
    """Models on GPUs of others: on the engines' or a named model's, else on trainer GPUs that no engine uses."""
    gpus: dict[str, int] = {}
    engines = [first + _gpus(setup, name) for name, first in hosts.items() if first < trainer + trainers]
    for role in setup.engines:
        if role.own_pool or not role.beside:
            continue
        hosted = next((name for name in role.beside if name in hosts or name in gpus), None)
        if hosted is not None:
            gpus[role.name] = {**hosts, **gpus}[hosted]
            continue
        taken = [first + _gpus(setup, name) for name, first in gpus.items()]
        behind = max([trainer, *(end for end in (*engines, *taken) if end > trainer)])
        gpus[role.name] = behind if behind + role.gpus <= trainer + trainers else trainer
    return gpus


def _cut(setup: Setup, trainer: int, engines: dict[str, int]) -> tuple[Pool, ...]:
    """Pools between the GPUs at which some role begins or ends."""
    spans = [(role, trainer, trainer + role.job.gpus) for role in setup.trainers]
    serving = [(role, engines[role.name], engines[role.name] + role.gpus) for role in setup.engines]
    edges = sorted({edge for _, first, end in (*spans, *serving) for edge in (first, end)})
    pools = []
    for first, end in pairwise(edges):
        trains = tuple(role for role, start, stop in spans if start <= first and end <= stop)
        serves = tuple(role for role, start, stop in serving if start <= first and end <= stop)
        if trains or serves:
            pools.append(Pool(_name(setup, first, trains, serves), first, end - first, trains, serves))
    return tuple(pools)


def _name(setup: Setup, first: int, trains: tuple[TrainerRole, ...], serves: tuple[EngineRole, ...]) -> str:
    if setup.layout == "disaggregated":
        return "trainer" if trains else serves[0].name
    return serves[0].name if serves and serves[0].own_pool else "rest" if first else "shared"
