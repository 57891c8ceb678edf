"""One period's answers with their rewards; groups that teach nothing are drawn again where the plan says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rftconf_runner.dapo import varies
from rftconf_runner.drawing import Drawing, Group
from rftconf_runner.framework_rewards import has_rules
from rftconf_runner.gates import GateError
from rftconf_runner.grading import graded
from rftconf_runner.job import Job
from rftconf_runner.places import Places
from rftconf_runner.reward import Score
from rftconf_runner.sequences import Row, Sample

MOST_ROUNDS = 64
"""Of drawing again; then no prompt is expected to teach anything any more."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What a period learns from, and the numbers of the sequences that were refused meanwhile. `domains` are the mean
    rewards of those that prompts are of, where they have names; `late` answers earned nothing because their rule took too long.
    `baselines` are what ReMax takes from each reward: empty where nothing is."""

    samples: list[Sample]
    rewards: list[float]
    refused: list[int]
    domains: Mapping[str, float] = field(default_factory=dict)
    late: int = 0
    baselines: list[float] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Of the answers."""
        return sum(len(sample.answer) for sample in self.samples)

    def looks(self, job: Job) -> dict[str, float]:
        """How answers look: their mean length, the share of those that the limit ended, and the entropy of what they were drawn
        from, as far as the drawn tokens tell it."""
        count, whole = max(len(self.samples), 1), sum(len(one.answer) < job.response_tokens for one in self.samples)
        found = {"response_tokens": self.tokens / count, "cut_answers": 1 - whole / count}
        found |= {"late_rewards": self.late} if has_rules(job) else {}
        found |= {"baseline": sum(self.baselines) / count} if self.baselines else {}
        drawn = [value for one in self.samples for value in one.drawn]
        return found if job.truncates or not drawn else {**found, "entropy": -sum(drawn) / len(drawn)}

    def fresh(self, old: Sequence[Row], version: int) -> tuple[list[Row], list[Row]]:
        """Log-probs of engine and trainer, of the samples that the trainer's very weights drew."""
        pairs = [(s.drawn, row) for s, row in zip(self.samples, old, strict=True) if s.version == version]
        return [drawn for drawn, _ in pairs], [row for _, row in pairs]


def drawn_batch(job: Job, drawing: Drawing, places: Places, tokenizer: Any, enter: Callable[[str], None]) -> Batch:
    """Whole groups, as many as the plan says. Raises GateError where `MOST_ROUNDS` of drawing again do not find them."""
    kept: list[tuple[Group, list[Score]]] = []
    refused: list[int] = []
    for _ in range(MOST_ROUNDS):
        enter("generate")
        groups = drawing.take(job.prompts - len(kept))
        enter("reward")
        known = len(kept)
        for group, scores in zip(groups, graded(job, groups, places, tokenizer), strict=True):
            own = scores[: job.responses]
            if not job.refill or varies([one.metric(job.refill) for one in own], job.refill_threshold):
                kept.append((group, scores))
            else:
                refused += [sample.number for sample in group.samples]
        drawing.launch(known + len(groups) - len(kept))
        if len(kept) == job.prompts:
            return _batch(job, kept, refused)
    told = f"{len(refused) // job.responses} prompts in a row gave groups of equal {job.refill}"
    raise GateError(f"stage.algorithm.filters: {told}, and {len(kept)} of the {job.prompts} that a period needs others")


def _batch(job: Job, kept: Sequence[tuple[Group, list[Score]]], refused: list[int]) -> Batch:
    own, each = [(group, scores[: job.responses]) for group, scores in kept], job.responses
    rewards = [one.reward for _, scores in own for one in scores]
    late = sum(one.late for _, scores in kept for one in scores)
    baselines = [one.reward for _, scores in kept for one in scores[each:] for _ in range(each)]
    return Batch([one for group, _ in own for one in group.samples], rewards, refused, _by_domain(own), late, baselines)


def _by_domain(kept: Sequence[tuple[Group, Sequence[Score]]]) -> dict[str, float]:
    """Mean rewards by the name of a domain or a data set."""
    names = dict.fromkeys(group.prompt.domain for group, _ in kept if group.prompt.domain)
    found = {
        name: [one.reward for group, scores in kept if group.prompt.domain == name for one in scores] for name in names
    }
    return {name: sum(rewards) / len(rewards) for name, rewards in found.items()}
