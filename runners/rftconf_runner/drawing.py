"""Answers, drawn as far ahead of their use as the plan says: which prompts, by which weights, and what waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ray

from rftconf_runner.data import Prompt, Prompts
from rftconf_runner.job import Job
from rftconf_runner.job_data import GREEDY
from rftconf_runner.rollout import CUTTING, Answer, GenerationRequest
from rftconf_runner.sequences import Sample

TURN = 0x9E3779B97F4A7C15
"""Between the seeds of an answer's beginning and of what goes on from it."""
BASELINE = 0xD1B54A32D192ED03
"""Between the seeds of a prompt's first answer and of its baseline."""


@dataclass(frozen=True, slots=True)
class Group:
    """The answers to one prompt; `number` counts the prompts that the run has drawn. A baseline is scored beside the samples,
    and nothing is learned from it; there is one where the job has ReMax, and none otherwise."""

    number: int
    prompt: Prompt
    samples: tuple[Sample, ...]
    baselines: tuple[Sample, ...] = ()

    @property
    def answers(self) -> tuple[Sample, ...]:
        """All answers of the group that are scored, the samples first."""
        return self.samples + self.baselines


Waiting = tuple[int, tuple[tuple[tuple[int, ...], tuple[float, ...], int], ...]]
"""A group in a checkpoint: its number, and tokens, log-probs and version of each answer. The prompt follows from the number."""


@dataclass(frozen=True, slots=True)
class Flight:
    """Prompts from number `first` on that engines were asked for, all answers in order. `begun` are those that were cut at a
    sync; `refs` hold what is asked since, of those that were not whole."""

    first: int
    prompts: Sequence[Prompt]
    refs: Sequence[Any]
    begun: Sequence[Answer] = ()
    turn: int = 0

    def answers(self) -> list[Answer]:
        """Return the answers, as far as they are written."""
        fresh = iter([answer for answered in ray.get(list(self.refs)) for answer in answered])
        if not self.turn:
            return list(fresh)
        return [answer if answer.whole else answer.followed(next(fresh)) for answer in self.begun]


def asked_of(job: Job, prompts: Sequence[Prompt], first: int, turn: int = 0) -> list[GenerationRequest]:
    """Every answer to `prompts`, the first of which has the number `first` in the run; each has a seed of its own. A baseline
    comes after the samples of its prompt."""
    each = job.responses
    seed = (job.engine_seed << 32) + job.sequences + first * each + turn * TURN
    steps = [*range(each), *([BASELINE] if job.baseline else [])]
    return [
        GenerationRequest(
            prompt.asks or prompt.tokens,
            (seed + index * each + step) % (1 << 63),
            sampling=GREEDY if step == BASELINE and job.baseline == "greedy" else None,
            pictures=prompt.pictures,
            reads=prompt.tokens if prompt.pictures else (),
        )
        for index, prompt in enumerate(prompts)
        for step in steps
    ]


def asked_in_shares(engines: Sequence[Sequence[Any]], requests: Sequence[GenerationRequest]) -> list[Any]:
    """Ask all engines, each for an equal share; the answers come in the requests' order."""
    size = max(-(-len(requests) // len(engines)), 1)
    shares = [requests[index : index + size] for index in range(0, len(requests), size)]
    return [rank.generate.remote(share) for engine, share in zip(engines, shares, strict=False) for rank in engine]


class Drawing:
    """Prompts in the data's order. Engines answer in the background; what they were asked first is used first."""

    def __init__(
        self, job: Job, data: Prompts, engines: Sequence[Sequence[Any]], drawn: int, waiting: Sequence[Waiting]
    ) -> None:
        self.job, self.data, self.engines, self.drawn = job, data, engines, drawn
        self.waiting = deque(self._kept(*group) for group in waiting)
        self.flights: deque[Flight] = deque()

    def __len__(self) -> int:
        """Groups that wait or are being answered."""
        return len(self.waiting) + sum(len(flight.prompts) for flight in self.flights)

    def fill(self, periods: int) -> None:
        """Ask for as much as the plan lets be drawn ahead, and `periods` that are left need; what is ahead by itself, so that
        nobody waits for it."""
        target = min(self.job.prompts + self.job.ahead, periods * self.job.prompts)
        self.launch(min(self.job.prompts, target) - len(self))
        self.launch(target - len(self))

    def launch(self, groups: int) -> None:
        """Ask the engines for so many further groups, a period's or less at a time."""
        last = self.drawn + groups
        while self.drawn < last:
            prompts = self.data.take(self.drawn, min(last - self.drawn, self.job.prompts))
            self.flights.append(self._flown(Flight(self.drawn, prompts, ())))
            self.drawn += len(prompts)

    def take(self, groups: int) -> list[Group]:
        """The next ones. Nothing is waited for that was asked for a later period."""
        while len(self.waiting) < groups:
            self.waiting.extend(self._groups(self.flights[0]))
            self.flights.popleft()
        return [self.waiting.popleft() for _ in range(groups)]

    def cut(self) -> None:
        """Stop what is being answered, where the plan says so: `go_on` asks for the rest, of the weights that came between."""
        if not (self.job.interrupts and self.flights):
            return
        self._cuts(True)
        self.flights = deque(
            replace(flight, begun=flight.answers(), refs=(), turn=flight.turn + 1) for flight in self.flights
        )
        self._cuts(False)

    def go_on(self) -> None:
        """Ask the engines to continue the answers that were cut."""
        self.flights = deque(
            self._flown(flight) if flight.turn and not flight.refs else flight for flight in self.flights
        )

    def left(self) -> Callable[[], list[Waiting]]:
        """Return a function that collects the groups waiting now, for a checkpoint; it waits for the engines."""
        groups, flights = list(self.waiting), list(self.flights)

        def waiting_groups() -> list[Waiting]:
            whole = [*groups, *(group for flight in flights for group in self._groups(flight))]
            return [(group.number, tuple((s.answer, s.drawn, s.version) for s in group.answers)) for group in whole]

        return waiting_groups

    def numbers(self) -> list[int]:
        """Return the numbers of the sequences that wait or are being answered."""
        groups = [group.number for group in self.waiting]
        groups += [flight.first + index for flight in self.flights for index in range(len(flight.prompts))]
        return [group * self.job.responses + index for group in groups for index in range(self.job.responses)]

    def _flown(self, flight: Flight) -> Flight:
        """Ask all engines for it."""
        requests = asked_of(self.job, flight.prompts, flight.first, flight.turn)
        if flight.turn:
            begun = zip(requests, flight.begun, strict=True)
            requests = [replace(request, begun=answer.tokens) for request, answer in begun if not answer.whole]
        return replace(flight, refs=asked_in_shares(self.engines, requests))

    def _cuts(self, now: bool) -> None:
        ranks = [rank for engine in self.engines for rank in engine]
        ray.get([rank.cut.options(concurrency_group=CUTTING).remote(now) for rank in ranks])

    def _groups(self, flight: Flight) -> list[Group]:
        answers, each = flight.answers(), self.job.responses + bool(self.job.baseline)
        return [
            self._group(
                flight.first + index,
                prompt,
                [
                    (answer.tokens, answer.log_probs, answer.version)
                    for answer in answers[index * each : (index + 1) * each]
                ],
            )
            for index, prompt in enumerate(flight.prompts)
        ]

    def _kept(self, number: int, answers: Sequence[Any]) -> Group:
        return self._group(number, self.data.take(number, 1)[0], answers)

    def _group(self, number: int, prompt: Prompt, answers: Sequence[Any]) -> Group:
        each = self.job.responses
        first = number * each
        samples = [
            Sample(prompt.tokens, tuple(tokens), version, first + index, tuple(log_probs), prompt.pictures)
            for index, (tokens, log_probs, version) in enumerate(answers)
        ]
        return Group(number, prompt, tuple(samples[:each]), tuple(samples[each:]))
