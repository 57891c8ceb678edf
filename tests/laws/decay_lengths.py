"""A learning rate falls over a number of updates, or over a length that a plan does not say as a number."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any


def falls_over_the_run(values: Mapping[str, Any]) -> Any:
    """The updates that the rate falls over where nobody gives a number: all those of the run."""
    decay, batch = values.get("stage.optim.actor.decay_updates"), "stage.batch."
    if decay is not None:
        return decay
    numbers = (values.get("stage.run_length.rollouts"), values.get(batch + "prompts_per_rollout"),
               values.get(batch + "responses_per_prompt"), values.get(batch + "sequences_per_update"))  # fmt: skip
    if not all(isinstance(number, int) and number for number in numbers):
        return None
    rollouts, prompts, each, update = numbers
    return Fraction(rollouts * prompts * each * (values.get(batch + "passes") or 1), update)  # type: ignore[operator]


def falls_alike(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """True where the rate falls over the same updates, said by a number or not."""
    first = falls_over_the_run(before)
    return bool(first is not None and first == falls_over_the_run(after))
