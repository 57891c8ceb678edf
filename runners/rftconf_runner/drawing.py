"""Answers, drawn as far ahead of their use as the plan says: which prompts, by which weights, and what waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ray

from rftconf_runner.data import Prompt, Prompts
from rftconf_runner.job import Job
from rftconf_runner.sequences import Sample


@dataclass(frozen=True, slots=True)
class Group:
    """The answers to one prompt; `number` counts the prompts that the run has drawn."""

    number: int
    prompt: Prompt
    samples: tuple[Sample, ...]


Waiting = tuple[int, tuple[tuple[tuple[int, ...], tuple[float, ...], int], ...]]
"""A group in a checkpoint: its number, and tokens, log-probs and version of each answer. The prompt follows from the number."""


class Drawing:
    """Prompts in the data's order. Engines answer in the background; what they were asked first is used first."""

    def __init__(self, job: Job, data: Prompts, engines: list[Any], drawn: int, waiting: Sequence[Waiting]) -> None:
        self.job, self.data, self.engines, self.drawn = job, data, engines, drawn
        self.waiting = deque(self._kept(*one) for one in waiting)
        self.flights: deque[tuple[int, list[Prompt], list[Any]]] = deque()

    def __len__(self) -> int:
        """Groups that wait or are being answered."""
        return len(self.waiting) + sum(len(prompts) for _, prompts, _ in self.flights)

    def launch(self, groups: int) -> None:
        """Ask the engines for so many further groups. Every answer of a run has a seed of its own."""
        if groups <= 0:
            return
        each, first = self.job.responses, self.drawn * self.job.responses
        prompts = self.data.take(self.drawn, groups)
        asked = [prompt.tokens for prompt in prompts for _ in range(each)]
        size, seed = -(-len(asked) // len(self.engines)), (self.job.engine_seed << 32) + self.job.sequences + first
        starts = range(0, len(asked), size)
        refs = [
            engine.generate.remote(asked[at : at + size], seed + at)
            for engine, at in zip(self.engines, starts, strict=False)
        ]
        self.flights.append((self.drawn, prompts, refs))
        self.drawn += groups

    def settle(self) -> None:
        """Wait for what the engines were asked."""
        while self.flights:
            first, prompts, refs = self.flights[0]
            answers = [answer for answered in ray.get(refs) for answer in answered]
            each = self.job.responses
            for at, prompt in enumerate(prompts):
                own = answers[at * each : (at + 1) * each]
                self.waiting.append(self._group(first + at, prompt, [(a.tokens, a.log_probs, a.version) for a in own]))
            self.flights.popleft()

    def take(self, groups: int) -> list[Group]:
        """The next ones."""
        if len(self.waiting) < groups:
            self.settle()
        return [self.waiting.popleft() for _ in range(groups)]

    def left(self) -> list[Waiting]:
        """What waits, for a checkpoint."""
        self.settle()
        return [(group.number, tuple((s.answer, s.drawn, s.version) for s in group.samples)) for group in self.waiting]

    def numbers(self) -> list[int]:
        """Of the sequences that wait."""
        return [sample.number for group in self.waiting for sample in group.samples]

    def _kept(self, number: int, answers: Sequence[Any]) -> Group:
        return self._group(number, self.data.take(number, 1)[0], answers)

    def _group(self, number: int, prompt: Prompt, answers: Sequence[Any]) -> Group:
        first = number * self.job.responses
        samples = [
            Sample(prompt.tokens, tuple(tokens), version, first + at, tuple(log_probs))
            for at, (tokens, log_probs, version) in enumerate(answers)
        ]
        return Group(number, prompt, tuple(samples))
