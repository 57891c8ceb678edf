"""One period's answers with their rewards; groups that teach nothing are drawn again where the plan says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rftconf_runner.consistency_checks import GateError
from rftconf_runner.dapo import varies
from rftconf_runner.drawing import Drawing, Group
from rftconf_runner.framework_rewards import has_rules
from rftconf_runner.grading import graded
from rftconf_runner.job import Job
from rftconf_runner.places import Places
from rftconf_runner.reward import Score
from rftconf_runner.sequences import Row, Sample

MOST_ROUNDS = 64
"""Of drawing again; then no prompt is expected to teach anything any more."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The samples and rewards that a period learns from, and the numbers of the sequences that were refused meanwhile.
    `domains` holds the mean reward of each named domain; `late` counts answers that earned nothing because their rule
    took too long. `baselines` are the numbers that ReMax subtracts from each reward; empty without ReMax. `scores` say how right each answer is, which a
    reward may add to; `origins` are the domains of the answers."""

    samples: list[Sample]
    rewards: list[float]
    refused: list[int]
    domains: Mapping[str, float] = field(default_factory=dict)
    late: int = 0
    baselines: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Count the tokens of the answers."""
        return sum(len(sample.answer) for sample in self.samples)

    def looks(self, job: Job) -> dict[str, float]:
        """Return metrics of the answers: their mean length in tokens, the share that the limit of length ended, and the
        entropy of the distribution that they were drawn from, estimated from the drawn tokens."""
        count = max(len(self.samples), 1)
        cut = sum(job.cuts(len(sample.prompt), len(sample.answer)) for sample in self.samples)
        figures = {"response_tokens": self.tokens / count, "cut_answers": cut / count}
        figures |= {"late_rewards": self.late} if has_rules(job) else {}
        figures |= {"baseline": sum(self.baselines) / count} if self.baselines else {}
        drawn = [value for sample in self.samples for value in sample.drawn]
        return figures if job.truncates or not drawn else {**figures, "entropy": -sum(drawn) / len(drawn)}

    def fresh(self, old: Sequence[Row], version: int) -> tuple[list[Row], list[Row]]:
        """Log-probs of engine and trainer, of the samples that the trainer's very weights drew."""
        pairs = [(s.drawn, row) for s, row in zip(self.samples, old, strict=True) if s.version == version]
        return [drawn for drawn, _ in pairs], [row for _, row in pairs]


def drawn_batch(job: Job, drawing: Drawing, places: Places, tokenizer: Any, enter: Callable[[str], None]) -> Batch:
    """Draw and score whole groups, as many as the plan says. Raises GateError after `MOST_ROUNDS` of drawing again."""
    drawn_groups: list[tuple[Group, list[Score]]] = []
    refused: list[int] = []
    for _ in range(MOST_ROUNDS):
        enter("generate")
        groups = drawing.take(job.prompts - len(drawn_groups))
        enter("reward")
        known = len(drawn_groups)
        for group, scores in zip(groups, graded(job, groups, places, tokenizer), strict=True):
            own = scores[: job.responses]
            if not job.refill or varies([score.metric(job.refill) for score in own], job.refill_threshold):
                drawn_groups.append((group, scores))
            else:
                refused += [sample.number for sample in group.samples]
        drawing.launch(known + len(groups) - len(drawn_groups))
        if len(drawn_groups) == job.prompts:
            return _batch(job, drawn_groups, refused)
    reason = f"{len(refused) // job.responses} prompts in a row gave groups of equal {job.refill}"
    raise GateError(
        f"stage.algorithm.filters: {reason}, and {len(drawn_groups)} of the {job.prompts} that a period needs others"
    )


def _batch(job: Job, drawn_groups: Sequence[tuple[Group, list[Score]]], refused: list[int]) -> Batch:
    own, each = [(group, scores[: job.responses]) for group, scores in drawn_groups], job.responses
    rewards = [score.reward for _, scores in own for score in scores]
    late = sum(score.late for _, scores in drawn_groups for score in scores)
    baselines = [score.reward for _, scores in drawn_groups for score in scores[each:] for _ in range(each)]
    return Batch(
        [sample for group, _ in own for sample in group.samples], rewards, refused, _by_domain(own), late, baselines,
        [score.metrics.get("acc", score.reward) for _, scores in own for score in scores],
        [group.prompt.domain for group, scores in own for _ in scores],
    )  # fmt: skip


def _by_domain(drawn_groups: Sequence[tuple[Group, Sequence[Score]]]) -> dict[str, float]:
    """Mean rewards by the name of a domain or a data set."""
    names = dict.fromkeys(group.prompt.domain for group, _ in drawn_groups if group.prompt.domain)
    rewards_by_domain = {
        name: [score.reward for group, scores in drawn_groups if group.prompt.domain == name for score in scores]
        for name in names
    }
    return {name: sum(rewards) / len(rewards) for name, rewards in rewards_by_domain.items()}
