"""Answers, drawn as far ahead of their use as the plan says: which prompts, by which weights, and what waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import ray

from rftconf_runner.asking import Answer, GenerationRequest, generation_requests
from rftconf_runner.columns import Column, Numbers
from rftconf_runner.data import Prompt, Prompts
from rftconf_runner.job import Job
from rftconf_runner.lessons import Sample
from rftconf_runner.rollout import CUTTING
from rftconf_runner.samples import Samples


@dataclass(frozen=True, slots=True)
class Group:
    """The answers to one prompt; `number` counts the prompts that the run has drawn. A baseline is scored beside the samples,
    and nothing is learned from it; there is one where the job has ReMax, and none otherwise."""

    number: int
    prompt: Prompt
    samples: Sequence[Sample]
    baselines: Sequence[Sample] = ()

    @property
    def answers(self) -> list[Sample]:
        """All answers of the group that are scored, the samples first."""
        return [*self.samples, *self.baselines]


Waiting = tuple[int, tuple[tuple[tuple[int, ...], tuple[float, ...], int], ...]]
"""A group in a checkpoint: its number, and tokens, log-probs and version of each answer. The prompt follows from the number."""


@dataclass(frozen=True, slots=True)
class Flight:
    """Prompts from number `first` on that engines were asked for, all answers in order: `refs` are to numbers and `blocks` of them. Where a
    sync cuts answers, `refs` are to answers themselves: `begun` are those that were cut, and what is asked since is of those that were not whole."""

    first: int
    prompts: Sequence[Prompt]
    refs: Sequence[Any]
    blocks: tuple[Any, ...] = ()
    begun: Sequence[Answer] = ()
    turn: int = 0

    def answers(self) -> list[Answer]:
        """Return the answers, as far as they are written."""
        fresh = iter([answer for answered in ray.get(list(self.refs)) for answer in answered])
        if not self.turn:
            return list(fresh)
        return [answer if answer.whole else answer.followed(next(fresh)) for answer in self.begun]

    def held(self, own: Any) -> Samples:
        """Return the answers with their `own` numbers in the run, whose tokens stay in the store."""
        parts = ray.get(list(self.refs))[
            :: len(self.refs) // len(self.blocks)
        ]  # of an engine's ranks the first answers
        sizes = [len(part.tokens) for part in parts]
        of = np.repeat(np.arange(len(sizes), dtype="int32"), sizes)
        rows = np.concatenate([np.arange(size, dtype="int32") for size in sizes])
        return Samples(own, Numbers(*map(np.concatenate, zip(*parts, strict=True))), Column(self.blocks, of, rows))


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
        numbers = [number for number, _ in waiting]
        prompts = [data.take(number, 1)[0] for number in numbers]
        self.waiting = deque(self._here(numbers, prompts, [answers for _, answers in waiting]))
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
            flight = Flight(self.drawn, prompts, ())
            self.flights.append(self._flown(flight) if self.job.interrupts else self._asked(flight))
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
            answers = [
                [(tuple(map(int, s.answer)), tuple(map(float, s.drawn)), s.version) for s in g.answers] for g in whole
            ]
            return [(group.number, tuple(own)) for group, own in zip(whole, answers, strict=True)]

        return waiting_groups

    def numbers(self) -> list[int]:
        """Return the numbers of the sequences that wait or are being answered."""
        groups = [group.number for group in self.waiting]
        groups += [flight.first + index for flight in self.flights for index in range(len(flight.prompts))]
        return [group * self.job.responses + index for group in groups for index in range(self.job.responses)]

    def _flown(self, flight: Flight) -> Flight:
        """Ask all engines for it."""
        requests = generation_requests(self.job, flight.prompts, flight.first, flight.turn)
        if flight.turn:
            begun = zip(requests, flight.begun, strict=True)
            requests = [replace(request, begun=answer.tokens) for request, answer in begun if not answer.whole]
        return replace(flight, refs=asked_in_shares(self.engines, requests))

    def _cuts(self, now: bool) -> None:
        ranks = [rank for engine in self.engines for rank in engine]
        ray.get([rank.cut.options(concurrency_group=CUTTING).remote(now) for rank in ranks])

    def _asked(self, flight: Flight) -> Flight:
        """Ask all engines for it, each for an equal share of the answers, which stay in the store."""
        each, prompts = self.job.responses + bool(self.job.baseline), flight.prompts
        whole = len(prompts) * each
        size, refs, blocks = max(-(-whole // len(self.engines)), 1), list[Any](), list[Any]()
        for engine, begin in zip(self.engines, range(0, whole, size), strict=False):
            first, end = begin // each, min(begin + size, whole)
            questions = tuple((p.tokens, p.asks, p.pictures) for p in prompts[first : -(-end // each)])
            own = slice(begin - first * each, end - first * each)
            pairs = [rank.draw.options(num_returns=2).remote(questions, flight.first + first, own) for rank in engine]
            refs += [numbers for numbers, _ in pairs]
            blocks.append(pairs[0][1])
        return replace(flight, refs=refs, blocks=tuple(blocks))

    def _groups(self, flight: Flight) -> list[Group]:
        """Return the groups of the flight's prompts, when they are answered."""
        each, prompts = self.job.responses + bool(self.job.baseline), flight.prompts
        if not flight.blocks:
            drawn = [(answer.tokens, answer.log_probs, answer.version) for answer in flight.answers()]
            parts = [drawn[index * each : (index + 1) * each] for index in range(len(prompts))]
            return self._here([flight.first + index for index in range(len(prompts))], prompts, parts)
        firsts = (flight.first + np.arange(len(prompts))) * self.job.responses
        samples = flight.held((firsts[:, None] + np.arange(each)).flatten())
        return [self._group(flight.first + i, p, samples[i * each : (i + 1) * each]) for i, p in enumerate(prompts)]

    def _here(self, numbers: Sequence[int], prompts: Sequence[Prompt], answers: Sequence[Any]) -> list[Group]:
        """Return the groups of answers that are in this process, all in one block."""
        samples = [
            Sample(
                prompt.tokens,
                tuple(tokens),
                version,
                number * self.job.responses + index,
                tuple(log_probs),
                prompt.pictures,
            )
            for number, prompt, own in zip(numbers, prompts, answers, strict=True)
            for index, (tokens, log_probs, version) in enumerate(own)
        ]
        whole, each = Samples.of(samples), self.job.responses + bool(self.job.baseline)
        return [
            self._group(number, prompt, whole[index * each : (index + 1) * each])
            for index, (number, prompt) in enumerate(zip(numbers, prompts, strict=True))
        ]

    def _group(self, number: int, prompt: Prompt, samples: Samples) -> Group:
        each = self.job.responses
        return (
            Group(number, prompt, samples[:each], samples[each:])
            if self.job.baseline
            else Group(number, prompt, samples)
        )
