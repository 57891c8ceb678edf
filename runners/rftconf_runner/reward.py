"""Rewards by the user's own function, in a process of its own with a time limit."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Sequence
from typing import Any

import ray

SECONDS = 60.0

Asked = tuple[str, str, Any, dict[str, Any]]
"""data_source, the answer's text, ground truth, extra_info: the arguments of compute_score."""


class BadRewardError(RuntimeError):
    """A reward function that hung, raised, or gave something that is no finite number."""


@ray.remote(num_cpus=0, max_restarts=-1)
class Scorer:
    """Holds the function, so that what it imports and breaks stays in its process."""

    def __init__(self, path: str, name: str, arguments: dict[str, Any]) -> None:
        self.function, self.arguments = _load(path, name), arguments

    def scores(self, asked: Sequence[Asked]) -> list[float]:
        """One number per answer. Raises BadRewardError with the answer it was about."""
        return [self._score(*one) for one in asked]

    def _score(self, source: str, text: str, truth: Any, extra: dict[str, Any]) -> float:
        found = self.function(
            data_source=source, solution_str=text, ground_truth=truth, extra_info=extra, **self.arguments
        )
        value = found.get("score") if isinstance(found, dict) else found
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise BadRewardError(f"the reward of {text[:80]!r} is {found!r}, and no finite number")
        return float(value)


def _load(path: str, name: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location("reward_of_the_user", path)
    if spec is None or spec.loader is None:
        raise BadRewardError(f"stage.reward.function_path: {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, name)
    return function


def scored(scorer: Any, asked: Sequence[Asked]) -> list[float]:
    """Rewards in the order asked. Raises BadRewardError, also where the function takes longer than `SECONDS`."""
    try:
        found: list[float] = ray.get(scorer.scores.remote(asked), timeout=SECONDS)
    except ray.exceptions.GetTimeoutError:
        raise BadRewardError(f"the reward function took longer than {SECONDS:g} s for {len(asked)} answers") from None
    return found
