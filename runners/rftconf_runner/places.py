"""The run's actors on Ray: trainer ranks, critic ranks, engines, the reward's process and models; and calls to all of a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ray

from rftconf_runner import checkpoint, ranked
from rftconf_runner.critic import Critic
from rftconf_runner.graders import grader_actor, have_heads
from rftconf_runner.job import Job
from rftconf_runner.policy import Policy
from rftconf_runner.rendezvous import Meeting, meeting
from rftconf_runner.reward import Scorer
from rftconf_runner.rollout import engine_actor
from rftconf_runner.scoring_requests import reads_many
from rftconf_runner.slots import Slots, beside_the_driver, layout_of


@dataclass(frozen=True, slots=True)
class Places:
    """Handles of actors, and what holds them. `critics` is empty where nothing is valued; of what is left after a death
    an engine is None where it died. An engine is its ranks, most often one. `begun` is what those that lived were asked to
    begin with; `graders` are by name."""

    ranks: list[Any]
    critics: list[Any]
    engines: list[Any]
    scorer: Any
    slots: Slots | None = None
    meetings: tuple[Meeting, ...] = ()
    begun: tuple[Any, ...] = ()
    graders: Mapping[str, Any] = field(default_factory=dict)

    def wait(self) -> None:
        """Wait until every process has begun. Raises BadRewardError where functions and judges do not fit."""
        checked = [self.scorer.check.remote()] if self.scorer else []
        ray.get([*checked, *self.begun, *(actor.__ray_ready__.remote() for actor in self.named().values())])

    def named(self) -> dict[str, Any]:
        """Every actor by what it is and its number."""
        scorers = [self.scorer] if self.scorer else []
        kinds = (("trainer", self.ranks), ("critic", self.critics), ("reward", scorers))
        actors_by_name = {f"{kind} {index}": actor for kind, actors in kinds for index, actor in enumerate(actors)}
        engines = {
            f"engine {index}" + (f".{rank}" if rank else ""): actor
            for index, engine in enumerate(self.engines)
            for rank, actor in enumerate(engine)
        }
        return actors_by_name | engines | {**self.graders}


NOWHERE = Places([], [], [], None)


def start_workers(job: Job, start: Path | None, living: Places | None, say: Callable[[str], None]) -> Places:
    """Start everything, from the plan's model or from the checkpoint `start`.

    What is `living` stays: trainers begin anew from `start`, engines and the reward's process have no state but the
    weights they are handed. `say` is told what has to be waited for.
    """
    ranked.divides(job)
    have_heads(job)
    living = living or NOWHERE
    slots = living.slots or Slots(layout_of(job))
    slots.wait(say)
    policy = None if start is None else str(start)
    critic = None if start is None else str(start / checkpoint.CRITIC)
    layout, meetings = slots.layout, (meeting(), meeting())
    ranks, critics = living.ranks, living.critics
    engines, met = _engines(job, slots, living)
    return Places(
        ranks or [_actor(_as_actor(Policy), slots.of(index), job, rank, meetings[0].address, policy)
                  for rank, index in enumerate(layout.trainers)],
        critics or [_actor(_as_actor(Critic), slots.of(index), job, job.critic, rank, meetings[1].address, critic)
                    for rank, index in enumerate(layout.critics)],
        engines,
        living.scorer or (_actor(Scorer, beside_the_driver(), *_of_scorer(job)) if job.rewards else None),
        slots,
        (*(living.meetings if ranks or critics or any(living.engines) else ()), *meetings, *met),
        (*(worker.begin.remote(job) for engine in filter(None, living.engines) for worker in engine),
         *(worker.begin.remote(job, policy) for worker in ranks), *(critic_rank.begin.remote(job, job.critic, critic) for critic_rank in critics)),
        {name: living.graders.get(name) or _actor(grader_actor(grader), slots.of(index), grader, job.engine_seed)
         for index, (name, grader) in zip(layout.graders, job.posts, strict=True)},
    )  # fmt: skip


def _of_scorer(job: Job) -> tuple[Any, ...]:
    return job.rewards, job.graders, job.answer_seconds, job.tokenizer, reads_many(job)


def _engines(job: Job, slots: Slots, living: Places) -> tuple[list[list[Any]], list[Meeting]]:
    """Return the engines that live, and others in the places of those that do not; where ranks of the new ones meet."""
    kind, engines_by_number, meetings = engine_actor(job), dict(enumerate(living.engines)), list[Meeting]()
    for number, bundles in enumerate(slots.layout.of_engines):
        if not engines_by_number.get(number):
            meetings += [meeting()] if job.tp > 1 else []
            address = meetings[-1].address if meetings else None
            engines_by_number[number] = [
                _actor(kind, slots.of(index), job, rank, address) for rank, index in enumerate(bundles)
            ]
    return [engines_by_number[number] for number in sorted(engines_by_number)], meetings


def call(actors: Sequence[Any], method: str, *arguments: Any) -> list[Any]:
    """Call a method on every actor and return their results, in the actors' order. Lists go to Ray's store once for all actors, and
    are not pickled again for each."""
    once = [ray.put(value) if isinstance(value, list) and len(actors) > 1 else value for value in arguments]
    results: list[Any] = ray.get([getattr(actor, method).remote(*once) for actor in actors])
    return results


def write(places: Places, tokenizer: Any, folder: Path) -> None:
    """Write a checkpoint's weights and tokenizer. Raises OSError for a rank's error, whatever its library raises."""
    try:
        call(places.ranks, "save", str(folder))
        call(places.critics, "save", str(folder / checkpoint.CRITIC))
    except ray.exceptions.RayTaskError as error:
        raise OSError(str(error.cause or error)) from error
    tokenizer.save_pretrained(folder)


def _as_actor(kind: type) -> Any:
    """Return a rank's class as an actor of Ray; the plain class is a rank in this process, as tests and benches have it."""
    return ray.remote(num_cpus=0)(kind)


def _actor(kind: Any, options: dict[str, Any], *arguments: Any) -> Any:
    return kind.options(**options).remote(*arguments)
