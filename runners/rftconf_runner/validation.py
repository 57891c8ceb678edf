"""Validation as the plan says: which questions are asked when, how their answers are drawn, and what they are worth."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path
from typing import Any

import ray

from rftconf_runner import disk
from rftconf_runner.asking import Answer, GenerationRequest
from rftconf_runner.data import Prompt, read_prompts, vision_of_rows
from rftconf_runner.drawing import Group, asked_in_shares
from rftconf_runner.framework_rewards import unscored_row
from rftconf_runner.gpu_sharing import engines_turn
from rftconf_runner.grading import graded
from rftconf_runner.job import Job
from rftconf_runner.job_data import ValidationSet
from rftconf_runner.lessons import Sample
from rftconf_runner.places import Places, call
from rftconf_runner.record import Record
from rftconf_runner.score_columns import Score

FILE = "validation.jsonl"
PHASE = "validate"
SEEDS = 0xA24BAED4963EE407
"""Between the seeds of training's answers and of validation's, which are the same each time."""
WITHOUT = "--no-validation runs without it"
RIGHT, VALUES = 1.0, {-1.0, 0.0, 1.0}
"""The accuracy of a right answer, and those of a rule that knows right and wrong alone."""


@dataclass(frozen=True, slots=True)
class Questions:
    """The prompts of a validation set."""

    of: ValidationSet
    prompts: tuple[Prompt, ...]


def questions_of(job: Job, tokenizer: Any) -> list[Questions]:
    """Read all sets, in the plan's order. Raises ValueError where rows cannot be read or scored."""
    validation = job.validation
    if validation is None or not validation.sets:
        return []
    vision = vision_of_rows([part.rows for part in validation.sets], job)
    own = replace(job, shares=())  # a set's name is all that says which reward is its own
    questions, room = list[Questions](), validation.most or None
    for part in validation.sets:
        try:
            read = read_prompts(part.rows, own, tokenizer, vision, "stage.data.eval[].uri")
            prompts = [
                replace(prompt, domain=part.domain) for prompt in read if len(prompt.tokens) <= job.prompt_tokens
            ]
        except ValueError as error:
            raise ValueError(f"{error}; {WITHOUT}") from error
        prompts = prompts[:room]
        room = None if room is None else room - len(prompts)
        if why := unscored_row(job, prompts, "stage.data.eval"):
            raise ValueError(f"{why}, and {WITHOUT}")
        questions.append(Questions(part, tuple(prompts)))
    return [part for part in questions if part.prompts]


class Validator:
    """Asks the engines of `places` and keeps the figures in the run's folder, of which `done` periods are over."""

    def __init__(
        self, job: Job, questions: Sequence[Questions], places: Places, tokenizer: Any, folder: Path, record: Record
    ) -> None:
        self.job, self.questions, self.places, self.tokenizer = job, questions, places, tokenizer
        self.record, self.file = record, folder / FILE
        self.done = _cut_back(self.file, record.done)

    def after(self, period: int) -> None:
        """Validate where the plan says so; 0 is before the first period. What a run that goes on has validated is not asked again."""
        validation = self.job.validation
        if not self.questions or validation is None or period <= self.done:
            return
        if not validation.is_due(period, self.record.periods):
            return
        self.record.enter(max(period, 1), PHASE)
        began = time.monotonic()
        with engines_turn(self.job, self.places):
            figures = {part.of.name: self._figures(part) for part in self.questions}
            call([rank for engine in self.places.engines for rank in engine], "forget")
        row = {"period": period, "sets": figures, "seconds": time.monotonic() - began}
        disk.add(self.file, json.dumps(row))
        self.done = period
        self.record.validated(period, figures)

    def _figures(self, questions: Questions) -> dict[str, float]:
        answers = ray.get(asked_in_shares(self.places.engines, requests_of(self.job, questions)))
        groups = groups_of(questions, [answer for share in answers for answer in share])
        job = replace(self.job, responses=questions.of.responses, baseline="")
        scores = graded(job, groups, self.places, self.tokenizer)
        lengths = [(len(sample.prompt), len(sample.answer)) for group in groups for sample in group.samples]
        cut = sum(self.job.cuts(*length) for length in lengths) / len(lengths)
        return {
            **figures_of(scores),
            "response_tokens": sum(answer for _, answer in lengths) / len(lengths),
            "cut_answers": cut,
        }


def requests_of(job: Job, questions: Questions) -> list[GenerationRequest]:
    """Ask each prompt as often as its set says, by the set's own sampling."""
    seed = (job.engine_seed << 32) + SEEDS
    return [
        GenerationRequest(
            prompt.asks or prompt.tokens,
            (seed + index * questions.of.responses + number) % (1 << 63),
            sampling=questions.of.sampling,
            pictures=prompt.pictures,
            reads=prompt.tokens if prompt.pictures else (),
        )
        for index, prompt in enumerate(questions.prompts)
        for number in range(questions.of.responses)
    ]


def groups_of(questions: Questions, answers: Sequence[Answer]) -> list[Group]:
    """Put the answers to each prompt together."""
    each = questions.of.responses
    return [
        Group(
            index,
            prompt,
            tuple(
                Sample(prompt.tokens, answer.tokens, answer.version, index * each + number, answer.log_probs)
                for number, answer in enumerate(answers[index * each : (index + 1) * each])
            ),
        )
        for index, prompt in enumerate(questions.prompts)
    ]


def figures_of(scores: Sequence[Sequence[Score]]) -> dict[str, float]:
    """Figures of n answers to each prompt: the mean accuracy (the reward where the reward function has no `acc`), the best of the n, and
    where answers are right or wrong the chance that one of k drawn from them is right, for k of 1, 2, 4, … n."""
    accuracies = [[score.metrics.get("acc", score.reward) for score in group] for group in scores]
    responses, values = len(accuracies[0]), [value for group in accuracies for value in group]
    rewards = [score.reward for group in scores for score in group]
    figures = {
        f"mean@{responses}": sum(values) / len(values),
        f"best@{responses}": sum(map(max, accuracies)) / len(accuracies),
        "reward": sum(rewards) / len(rewards),
    }
    if {*values} <= VALUES:
        counts = [sum(value == RIGHT for value in group) for group in accuracies]
        for size in _sizes(responses):
            figures[f"pass@{size}"] = sum(_pass_at(size, right, responses) for right in counts) / len(counts)
    late = sum(score.late for group in scores for score in group)
    return {**figures, **({"late_rewards": late} if late else {})}


def _pass_at(size: int, right: int, responses: int) -> float:
    """Compute the chance that `size` of the answers, drawn without putting one back, have a right one."""
    return 1 - comb(responses - right, size) / comb(responses, size)


def _sizes(responses: int) -> list[int]:
    return sorted({*(1 << power for power in range(responses.bit_length())), responses})


def _cut_back(file: Path, done: int) -> int:
    """Keep what was validated up to the period `done`, and return the last such period; -1 where nothing was."""
    rows: list[Mapping[str, Any]] = []
    if file.exists():
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        rows = [row for row in rows if row["period"] <= done]
        disk.cut(file, len(rows))
    return max((int(row["period"]) for row in rows), default=-1)
