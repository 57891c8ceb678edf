"""Rewards by the user's own function, in a process of its own with a time limit."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ray

from rftconf_runner.dapo import overlong_penalty
from rftconf_runner.job import Shaping

Asked = tuple[str, str, Any, dict[str, Any]]
"""data_source, the answer's text, ground truth, extra_info: the arguments of compute_score."""


class BadRewardError(RuntimeError):
    """A reward function that hung, raised, or gave something that is no finite number."""


@dataclass(frozen=True, slots=True)
class Score:
    """What an answer earns, and the numbers that the function gave beside it; `acc` is the reward where it gave none."""

    reward: float
    metrics: Mapping[str, float]

    def metric(self, name: str) -> float:
        """By which groups are filtered. Raises BadRewardError where the function did not give it."""
        if name == "reward":
            return self.reward
        if name not in self.metrics:
            raise BadRewardError(
                f"stage.algorithm.filters wants the metric {name!r}; the reward function gave {sorted(self.metrics)}"
            )
        return self.metrics[name]


@ray.remote(num_cpus=0)
class Scorer:
    """Holds the function, so that what it imports and breaks stays in its process."""

    def __init__(self, path: str, name: str, arguments: dict[str, Any]) -> None:
        self.function, self.arguments = _load(path, name), arguments

    def scores(self, asked: Sequence[Asked]) -> list[Score]:
        """One per answer. Raises BadRewardError with the answer it was about."""
        return [self._score(*one) for one in asked]

    def _score(self, source: str, text: str, truth: Any, extra: dict[str, Any]) -> Score:
        try:
            found = self.function(
                data_source=source, solution_str=text, ground_truth=truth, extra_info=extra, **self.arguments
            )
        except Exception as error:
            raise BadRewardError(f"the reward of {text[:80]!r}: {type(error).__name__}: {error}") from error
        value = found.get("score") if isinstance(found, dict) else found
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise BadRewardError(f"the reward of {text[:80]!r} is {found!r}, and no finite number")
        more = found if isinstance(found, dict) else {"acc": value}
        return Score(float(value), {k: float(v) for k, v in more.items() if isinstance(v, (bool, int, float))})


def _load(path: str, name: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location("reward_of_the_user", path)
    if spec is None or spec.loader is None:
        raise BadRewardError(f"stage.reward.function_path: {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, name)
    return function


def scored(scorer: Any, asked: Sequence[Asked], seconds: float) -> list[Score]:
    """Scores in the order asked. Raises BadRewardError, also where the function takes longer than `seconds`."""
    try:
        found: list[Score] = ray.get(scorer.scores.remote(asked), timeout=seconds)
    except ray.exceptions.GetTimeoutError:
        raise BadRewardError(f"the reward function took longer than {seconds:g} s for {len(asked)} answers") from None
    return found


def shaped(scores: Sequence[Score], tokens: Sequence[int], shaping: Shaping | None) -> list[Score]:
    """With the plan's punishment of long answers."""
    if shaping is None:
        return list(scores)
    pairs = zip(scores, tokens, strict=True)
    return [Score(one.reward + overlong_penalty(length, shaping), one.metrics) for one, length in pairs]
