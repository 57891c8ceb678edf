"""One period's answers with their rewards; groups that teach nothing are drawn again where the plan says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rftconf_runner.columns import Array
from rftconf_runner.consistency_checks import GateError
from rftconf_runner.dapo import varies
from rftconf_runner.drawing import Drawing, Group
from rftconf_runner.framework_rewards import has_rules
from rftconf_runner.grading import graded
from rftconf_runner.job import Job
from rftconf_runner.places import Places
from rftconf_runner.samples import Samples, join_samples
from rftconf_runner.score_columns import Score, Scores, join_scores

MOST_ROUNDS = 64
"""Of drawing again; then no prompt is expected to teach anything any more."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The samples and rewards that a period learns from, and the numbers of the sequences that were refused meanwhile.
    `domains` holds the mean reward of each named domain; `late` counts answers that earned nothing because their rule
    took too long. `baselines` are the numbers that ReMax subtracts from each reward; empty without ReMax. `scores` say how right each answer is, which a
    reward may add to; `origins` are the domains of the answers."""

    samples: Samples
    rewards: list[float]
    refused: list[int]
    domains: Mapping[str, float] = field(default_factory=dict)
    late: int = 0
    baselines: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)

    def looks(self, job: Job) -> dict[str, float]:
        """Return metrics of the answers: their mean length in tokens, the share that the limit of length ended, and the
        entropy of the distribution that they were drawn from, estimated from the drawn tokens."""
        numbers, tokens, count = self.samples.numbers, self.samples.tokens, max(len(self.samples), 1)
        cut = int(job.cuts(numbers.prompts, numbers.tokens).sum())
        figures = {"response_tokens": tokens / count, "cut_answers": cut / count}
        figures |= {"late_rewards": self.late} if has_rules(job) else {}
        figures |= {"baseline": sum(self.baselines) / count} if self.baselines else {}
        return figures if job.truncates or not tokens else {**figures, "entropy": -float(numbers.sums.sum()) / tokens}


def drawn_batch(job: Job, drawing: Drawing, places: Places, tokenizer: Any, enter: Callable[[str], None]) -> Batch:
    """Draw and score whole groups, as many as the plan says. Raises GateError after `MOST_ROUNDS` of drawing again."""
    drawn_groups, parts, refused = list[Group](), list[Scores](), list[int]()
    for _ in range(MOST_ROUNDS):
        enter("generate")
        groups = drawing.take(job.prompts - len(drawn_groups))
        enter("reward")
        scored = graded(job, groups, places, tokenizer)
        teach = [index for index in range(len(groups)) if not job.refill or _varies(job, scored[index])]
        parts.append(scored.of(teach))
        drawn_groups += [groups[index] for index in teach]
        for index in sorted({*range(len(groups))} - {*teach}):
            refused += Samples.of(groups[index].samples).own.tolist()
        drawing.launch(len(groups) - len(teach))
        if len(drawn_groups) == job.prompts:
            return _batch(job, drawn_groups, join_scores(parts), refused)
    reason = f"{len(refused) // job.responses} prompts in a row gave groups of equal {job.refill}"
    raise GateError(
        f"stage.algorithm.filters: {reason}, and {len(drawn_groups)} of the {job.prompts} that a period needs others"
    )


def _varies(job: Job, scores: Sequence[Score]) -> bool:
    """True for a group that teaches something, by the metric that the plan names."""
    return varies([score.metric(job.refill) for score in scores[: job.responses]], job.refill_threshold)


def _batch(job: Job, drawn_groups: Sequence[Group], whole: Scores, refused: list[int]) -> Batch:
    each = job.responses
    late, baselines = int(whole.late.sum()), list[float]()
    if job.baseline:
        of_groups = np.arange(len(whole)).reshape(len(drawn_groups), -1)
        baselines = whole.rewards[of_groups[:, each:]].repeat(each).tolist()
        whole = whole[of_groups[:, :each].flatten()]
    origins = [group.prompt.domain for group in drawn_groups for _ in range(each)]
    return Batch(
        join_samples([Samples.of(group.samples) for group in drawn_groups]), whole.rewards.tolist(), refused, _by_domain(origins, whole.rewards),
        late, baselines, whole.accuracies.tolist(), origins,
    )  # fmt: skip


def _by_domain(origins: Sequence[str], rewards: Array) -> dict[str, float]:
    """Mean rewards by the name of a domain or a data set."""
    names, of = dict.fromkeys(name for name in origins if name), np.array(origins)
    return {name: float(rewards[of == name].mean()) for name in names}
