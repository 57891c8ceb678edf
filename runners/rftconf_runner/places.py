"""The run's actors on Ray: trainer ranks, critic ranks, engines, the reward's process; and calls to all of a kind."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray

from rftconf_runner import checkpoint
from rftconf_runner.critic import Critic
from rftconf_runner.job import Job
from rftconf_runner.policy import Policy
from rftconf_runner.reward import Scorer
from rftconf_runner.rollout import Engine
from rftconf_runner.weights import differing


@dataclass(frozen=True, slots=True)
class Places:
    """Handles of actors. `critics` is empty where nothing is valued."""

    ranks: list[Any]
    critics: list[Any]
    engines: list[Any]
    scorer: Any

    def named(self) -> dict[str, Any]:
        """Every actor by what it is and its number."""
        scorers = [self.scorer] if self.scorer else []
        kinds = (("trainer", self.ranks), ("critic", self.critics), ("engine", self.engines), ("reward", scorers))
        return {f"{kind} {at}": actor for kind, actors in kinds for at, actor in enumerate(actors)}


def placed(job: Job, start: Path | None, living: Places | None = None) -> Places:
    """Start everything, from the plan's model or from the checkpoint `start`.

    What is `living` of engines and the reward's process stays: they have no state but the weights they are handed.
    """
    living = living or Places([], [], [], None)
    policy = None if start is None else str(start)
    critic = None if start is None else str(start / checkpoint.CRITIC)
    ports = _free_port(), _free_port()
    return Places(
        [_actor(Policy, job, rank, ports[0], policy) for rank in range(job.ranks)],
        [_actor(Critic, job, job.critic, rank, ports[1], critic) for rank in range(job.ranks) if job.critic],
        [*living.engines, *(_actor(Engine, job) for _ in range(job.engines - len(living.engines)))],
        living.scorer or _actor(Scorer, job.reward_path, job.reward_name, job.reward_arguments),
    )


def ready(places: Places) -> None:
    """Wait until every process has begun."""
    ray.get([actor.__ray_ready__.remote() for actor in places.named().values()])


def call(actors: list[Any], method: str, *arguments: Any) -> list[Any]:
    """What each actor returns."""
    found: list[Any] = ray.get([getattr(actor, method).remote(*arguments) for actor in actors])
    return found


def rows(actors: list[Any], method: str, *arguments: Any) -> list[Any]:
    """The rows of all sequences, of which each actor returns its share; none without actors."""
    return [row for found in call(actors, method, *arguments) for row in found]


def hand_over(places: Places, version: int) -> list[list[str]]:
    """The trainer's weights to every engine; the names of what each of them does not hold as the trainer does then."""
    gathered, *_ = [rank.weights.remote() for rank in places.ranks]  # collective: every rank is called
    engines = call(places.engines, "load", gathered, version)
    return [differing(ray.get(gathered), engine) for engine in engines]


def write(places: Places, tokenizer: Any, folder: Path) -> None:
    """What a checkpoint holds. Raises OSError where a rank cannot write, whatever its library raises then."""
    try:
        call(places.ranks, "save", str(folder))
        call(places.critics, "save", str(folder / checkpoint.CRITIC))
    except ray.exceptions.RayTaskError as error:
        raise OSError(str(error.cause or error)) from error
    tokenizer.save_pretrained(folder)


def _actor(kind: Any, *arguments: Any) -> Any:
    return kind.remote(*arguments)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
