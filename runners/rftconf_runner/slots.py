"""The processes' places: Ray placement groups with a bundle for every GPU, or for every share of a processor."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ray
from ray.util.placement_group import placement_group, placement_group_table
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy, PlacementGroupSchedulingStrategy

from rftconf_runner.job import Job
from rftconf_runner.threads import share_processors

WAIT_SECONDS = 900.0
"""For nodes that a run needs and that are not there, or not any more."""
CONNECT_SECONDS = 10.0
"""For a cluster's address to answer."""
SAY_SECONDS = 5.0
"""After so long it is said that a run waits."""


class NoPlaceError(RuntimeError):
    """A cluster that does not become what the plan needs."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The bundle of each process, by its kind and number; a bundle is one GPU, or one CPU where there is none. An
    engine's bundles are `tp` of `engines`, one for each of its ranks."""

    trainers: tuple[int, ...]
    critics: tuple[int, ...]
    engines: tuple[int, ...]
    graders: tuple[int, ...] = ()
    tp: int = 1

    @property
    def all(self) -> tuple[int, ...]:
        """The bundle of every process."""
        return (*self.trainers, *self.critics, *self.engines, *self.graders)

    @property
    def bundles(self) -> int:
        """Return the number of bundles."""
        return max(self.all, default=-1) + 1

    @property
    def of_engines(self) -> list[tuple[int, ...]]:
        """The bundles of each engine's ranks."""
        return [self.engines[index : index + self.tp] for index in range(0, len(self.engines), self.tp)]

    @property
    def groups(self) -> list[tuple[tuple[int, ...], str]]:
        """Bundles that are placed together, and how: those of an engine on one node, whose ranks speak at every layer;
        all others, or all where an engine has one, on as few nodes as there may be."""
        divided = self.of_engines if self.tp > 1 else []
        others = tuple(index for index in range(self.bundles) if not any(index in group for group in divided))
        return [*((group, "STRICT_PACK") for group in divided), *([(others, "PACK")] if others else [])]

    def share(self, bundle: int) -> float:
        """Return the share of the bundle that each process in it has."""
        return 1 / max(self.all.count(bundle), 1)


def layout_of(job: Job) -> Layout:
    """Trainers and engines on the same bundles where the plan has them colocated, on others otherwise; a critic rank is
    with the trainer's rank of its number, and a model that scores with an engine or on bundles of its own."""
    first = 0 if job.colocated else job.ranks
    engines = tuple(range(first, first + job.engines * job.tp))
    free, graders = max(job.ranks, first + len(engines)), list[int]()
    for grader in job.graders:
        own = (
            range(free, free + grader.copies)
            if grader.apart
            else (engines[index % len(engines)] for index in range(grader.copies))
        )
        graders += own
        free += grader.copies if grader.apart else 0
    trainers = tuple(range(job.ranks))
    return Layout(trainers, trainers if job.critic else (), engines, tuple(graders), job.tp)


class Slots:
    """The bundles of a layout on Ray. Bundles of a node that is lost are placed anew by Ray where there is room."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.unit = layout, unit()
        groups = [
            (bundles, placement_group([{self.unit: 1} for _ in bundles], strategy=how))
            for bundles, how in layout.groups
        ]
        self.groups = [group for _, group in groups]
        self.place = {bundle: (group, index) for bundles, group in groups for index, bundle in enumerate(bundles)}

    def wait(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Wait until every bundle has its place. Raises NoPlaceError after `WAIT_SECONDS`."""
        if self._there(SAY_SECONDS):
            return
        needed = f"{self.layout.bundles} {self.unit}s"
        if self.layout.tp > 1:
            needed += f", of which each engine's {self.layout.tp} on one node,"
        say(f"{needed} that are not all there; {_free(self.unit)} are free")
        if not self._there(WAIT_SECONDS):
            raise NoPlaceError(f"the plan needs {needed}; {_free(self.unit)} are free on {_nodes()} nodes")

    def of(self, bundle: int) -> dict[str, Any]:
        """Options of an actor in this bundle."""
        resources = {"num_gpus": 0, "num_cpus": 0, f"num_{self.unit.lower()}s": self.layout.share(bundle)}
        group, index = self.place[bundle]
        where = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=index)
        return {**resources, "scheduling_strategy": where}

    def _there(self, seconds: float) -> bool:
        """A group that was whole before says at once that it is ready, also while a bundle is placed anew."""
        return _wait_until(lambda: all(_state(group) == "CREATED" for group in self.groups), seconds)


def connect(job: Job, address: str | None) -> None:
    """Connect to the cluster at `address`, or to one of this machine alone, whose processors are shared where the plan
    has more processes. Raises NoPlaceError where there is none, or Ray does not start."""
    quiet = {"log_to_driver": False, "configure_logging": False}
    if address is None:
        own = max(os.cpu_count() or 1, layout_of(job).bundles)
        share_processors(job)
        _start(num_cpus=own, include_dashboard=False, **quiet)
        return
    try:
        _answers(address)
        ray.init(address=address, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        raise NoPlaceError(f"--address {address}: {str(error).splitlines()[0]}") from error


def _start(**how: Any) -> None:
    """A Ray of this machine alone. On a machine that is busy its parts may not find each other in time: once more, then.
    Raises NoPlaceError."""
    for last in (False, True):
        try:
            ray.init(**how)
        except Exception as error:  # Ray raises it bare
            ray.shutdown()
            if last:
                why = str(error).partition("\n")[0] or type(error).__name__
                raise NoPlaceError(f"Ray does not start on this machine: {why}") from error
        else:
            return


def _answers(address: str) -> None:
    """Ray itself asks for minutes. Raises OSError where nobody listens; a name like `auto` is Ray's to find."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS):
            pass


def beside_the_driver() -> dict[str, Any]:
    """Options of an actor that lives and dies with the driver's node."""
    node = ray.get_runtime_context().get_node_id()
    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False)}


def unit() -> str:
    """Return the resource that a model's process takes: GPU, on a cluster that has any, else CPU."""
    return "GPU" if ray.cluster_resources().get("GPU") else "CPU"


def _state(group: Any) -> str:
    return str(placement_group_table(group)["state"])


def _wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _free(kind: str) -> str:
    return f"{ray.available_resources().get(kind, 0):g}"


def _nodes() -> int:
    return sum(node["Alive"] for node in ray.nodes())
