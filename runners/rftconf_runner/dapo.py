"""DAPO's rules for rewards and groups (Yu et al., 2025), without tensors."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import stdev

from rftconf_runner.job import Shaping


def overlong_penalty(tokens: int, shaping: Shaping) -> float:
    """Return the penalty, at most 0: it falls over the last `buffer` tokens before `longest`, and on behind it."""
    exceeds = tokens - (shaping.longest - shaping.buffer)
    return min(-exceeds / shaping.buffer * shaping.factor, 0.0)


def varies(metrics: Sequence[float], threshold: float = 0.0) -> bool:
    """False for a group that teaches nothing: two or more answers, whose metric is the same, or whose deviation (of a
    sample) is not above `threshold`."""
    if len(metrics) < 2:
        return True
    return max(metrics) > min(metrics) if threshold == 0 else stdev(metrics) > threshold
