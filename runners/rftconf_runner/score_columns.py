"""The scores of a period's answers, as columns of numbers that are had one by one where somebody asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rftconf_runner.columns import Array
from rftconf_runner.dapo import overlong_penalty
from rftconf_runner.job import Shaping

ACCURACY = "acc"
"""The metric that says how right an answer is."""


class BadRewardError(RuntimeError):
    """A reward function that hung, raised, or gave something that is no finite number."""


@dataclass(frozen=True, slots=True)
class Score:
    """An answer's reward, and the numbers that the function gave beside it; `acc` is the reward where it gave none.
    `late` is true where its rule took too long over it, so that it earns nothing."""

    reward: float
    metrics: Mapping[str, float]
    late: bool = False

    def metric(self, name: str) -> float:
        """Return the number by which groups are filtered. Raises BadRewardError where the function did not give it."""
        if name == "reward":
            return self.reward
        if name not in self.metrics:
            raise BadRewardError(
                f"stage.algorithm.filters wants the metric {name!r}; the reward function gave {sorted(self.metrics)}"
            )
        return self.metrics[name]


@dataclass(frozen=True, eq=False)
class Scores(Sequence[Score]):
    """Scores of answers. A metric has a number for each answer, and whether its function gave it one."""

    rewards: Array
    late: Array
    metrics: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Sequence[Score]) -> Scores:
        """Put scores into columns."""
        names = dict.fromkeys(name for score in scores for name in score.metrics)
        metrics = {
            name: (
                np.array([score.metrics.get(name, 0.0) for score in scores], "float64"),
                np.array([name in score.metrics for score in scores], bool),
            )
            for name in names
        }
        rewards = np.array([score.reward for score in scores], "float64")
        return cls(rewards, np.array([score.late for score in scores], bool), metrics)

    def __len__(self) -> int:
        """Return the number of answers."""
        return len(self.rewards)

    def __getitem__(self, index: Any) -> Any:
        """Return a score, or those of some answers."""
        if isinstance(index, (int, np.integer)):
            metrics = {name: float(values[index]) for name, (values, present) in self.metrics.items() if present[index]}
            return Score(float(self.rewards[index]), metrics, bool(self.late[index]))
        own = {name: (values[index], present[index]) for name, (values, present) in self.metrics.items()}
        return Scores(self.rewards[index], self.late[index], own)

    @property
    def accuracies(self) -> Array:
        """Return how right each answer is: the metric of that name, else its reward."""
        values, present = self.metrics.get(ACCURACY, (self.rewards, np.zeros(len(self), bool)))
        return np.where(present, values, self.rewards)

    def shaped(self, tokens: Sequence[int], shaping: Shaping | None) -> Scores:
        """Return the scores less the plan's penalty for long answers; unchanged where it has none."""
        if shaping is None:
            return self
        penalties = np.array([overlong_penalty(length, shaping) for length in tokens], "float64")
        return Scores(self.rewards + penalties, self.late, self.metrics)


@dataclass(frozen=True, eq=False)
class GroupScores(Sequence[Scores]):
    """The scores of groups that have equally many answers, one group behind the other."""

    whole: Scores
    each: int

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.whole) // self.each

    def of(self, groups: Sequence[int]) -> Scores:
        """Return the scores of some groups, one group behind the other."""
        answers: Scores = self.whole[(np.array(groups, int)[:, None] * self.each + np.arange(self.each)).flatten()]
        return answers

    def __getitem__(self, index: Any) -> Any:
        """Return a group's scores."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.whole[index * self.each : (index + 1) * self.each]


def join_scores(parts: Sequence[Scores]) -> Scores:
    """Put scores one behind the other."""
    names = dict.fromkeys(name for part in parts for name in part.metrics)
    absent = {len(part): (np.zeros(len(part)), np.zeros(len(part), bool)) for part in parts}
    metrics = {
        name: tuple(
            map(np.concatenate, zip(*(part.metrics.get(name, absent[len(part)]) for part in parts), strict=True))
        )
        for name in names
    }
    return Scores(
        np.concatenate([part.rewards for part in parts]),
        np.concatenate([part.late for part in parts]),
        metrics,
    )
