"""The run's actors on Ray: trainer ranks, critic ranks, engines, the reward's process; and calls to all of a kind."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray

from rftconf_runner import checkpoint
from rftconf_runner.critic import Critic
from rftconf_runner.data import Prompt
from rftconf_runner.job import Job
from rftconf_runner.policy import Policy
from rftconf_runner.reward import Scorer
from rftconf_runner.rollout import Answer, Engine
from rftconf_runner.weights import differing


@dataclass(frozen=True, slots=True)
class Places:
    """Handles of actors. `critics` is empty where nothing is valued."""

    ranks: list[Any]
    critics: list[Any]
    engines: list[Any]
    scorer: Any


def placed(job: Job, start: Path | None) -> Places:
    """Start everything, from the plan's model or from the checkpoint `start`."""
    policy = None if start is None else str(start)
    critic = None if start is None else str(start / checkpoint.CRITIC)
    ports = _free_port(), _free_port()
    return Places(
        [_actor(Policy, job, rank, ports[0], policy) for rank in range(job.ranks)],
        [_actor(Critic, job, job.critic, rank, ports[1], critic) for rank in range(job.ranks) if job.critic],
        [_actor(Engine, job) for _ in range(job.engines)],
        _actor(Scorer, job.reward_path, job.reward_name, job.reward_arguments),
    )


def call(actors: list[Any], method: str, *arguments: Any) -> list[Any]:
    """What each actor returns."""
    found: list[Any] = ray.get([getattr(actor, method).remote(*arguments) for actor in actors])
    return found


def rows(actors: list[Any], method: str, *arguments: Any) -> list[Any]:
    """The rows of all sequences, of which each actor returns its share; none without actors."""
    return [row for found in call(actors, method, *arguments) for row in found]


def generate(engines: list[Any], prompts: list[Prompt], job: Job, period: int) -> list[Answer]:
    """Answers in the order of `prompts`, shared by the engines. Every answer of a run has a seed of its own."""
    size, seed = -(-len(prompts) // len(engines)), (job.engine_seed << 32) + period * job.sequences
    starts = range(0, len(prompts), size)
    refs = [
        engine.generate.remote([prompt.tokens for prompt in prompts[at : at + size]], seed + at)
        for engine, at in zip(engines, starts, strict=False)
    ]
    return [answer for answered in ray.get(refs) for answer in answered]


def hand_over(places: Places, version: int) -> list[list[str]]:
    """The trainer's weights to every engine; the names of what each of them does not hold as the trainer does then."""
    gathered, *_ = [rank.weights.remote() for rank in places.ranks]  # collective: every rank is called
    engines = call(places.engines, "load", gathered, version)
    return [differing(ray.get(gathered), engine) for engine in engines]


def write(places: Places, tokenizer: Any, folder: Path) -> None:
    """What a checkpoint holds."""
    call(places.ranks, "save", str(folder))
    call(places.critics, "save", str(folder / checkpoint.CRITIC))
    tokenizer.save_pretrained(folder)


def _actor(kind: Any, *arguments: Any) -> Any:
    return kind.remote(*arguments)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
