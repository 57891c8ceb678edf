"""Numbers that several rules need: sequences per period, data-parallel ranks, the longest sequence. None: not known."""

from __future__ import annotations

from rftconf.lint.subject import Subject
from rftconf.plan.ranks import rank_sizes

PROMPTS, RESPONSES, UPDATE = "batch.prompts_per_rollout", "batch.responses_per_prompt", "batch.sequences_per_update"
PROMPT_LENGTH, ANSWER_LENGTH, CONTEXT = (
    "length.prompt_max_tokens",
    "length.response_max_tokens",
    "length.model_max_tokens",
)
TRAINERS = "placement.actor.gpus"
GROUPED = frozenset({"grpo", "grpo_mean_only", "rloo", "gigpo", "opo", "grpo_passk", "gdpo"})
"""Estimators that compare the answers to one prompt with each other."""


def sequences(s: Subject) -> int | None:
    """S = B*n, sequences per rollout period."""
    prompts, responses = s.count(PROMPTS), s.count(RESPONSES)
    return None if prompts is None or responses is None else prompts * responses


def rank_gpus(s: Subject, role: str = "actor") -> int | None:
    """GPUs that work on one sequence together: Ulysses' size, or TP x PP x CP; None where one of them is not known."""
    path = f"placement.{role}."
    names = rank_sizes(s.value(f"{path}backend"))
    if any(s.unknown(path + name) for name in names):
        return None
    size = 1
    for name in names:
        size *= s.count(path + name) or 1
    return size


def ranks(s: Subject, role: str = "actor") -> int | None:
    """D, data-parallel ranks of the trainer; None where it is not known or not whole."""
    gpus, each = s.count(TRAINERS), rank_gpus(s, role)
    return None if gpus is None or each is None or gpus % each else gpus // each


def longest(s: Subject) -> int | None:
    """Tokens of the longest prompt with the longest answer."""
    prompt, answer = s.count(PROMPT_LENGTH), s.count(ANSWER_LENGTH)
    return None if prompt is None or answer is None else prompt + answer


MOST_TRIED = 100_000
"""Divisors of a number that may be a slip of the keyboard."""


def largest_divisor(number: int, most: int) -> int:
    """Return the largest divisor of `number` that is not above `most` or what is tried."""
    return next((d for d in range(min(number, most, MOST_TRIED), 0, -1) if number % d == 0), 1)


def divisors_near(number: int, target: int, most: int = 3) -> list[int]:
    """The divisors of `number` nearest to `target`, for a help line."""
    divisors = [d for d in range(1, min(number, MOST_TRIED) + 1) if number % d == 0]
    return sorted(sorted(divisors, key=lambda d: (abs(d - target), d))[:most])


def multiple_near(step: int, target: int) -> int:
    """The positive multiple of `step` nearest to `target`, the smaller one on a tie."""
    low = max(step, target // step * step)
    return low if target - low <= low + step - target else low + step
