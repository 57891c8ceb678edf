"""This module reads veRL's words for tokens and answers that are in no policy loss: rollout_rs and its thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, log
from typing import Any

from rftconf_runner.job import Rejection

LEVELS = {"token": ("k1", "k2", "k3"), "sum": ("k1", "k2", "k3"), "mean": ("k1", "k2", "k3"), "max": ("k2", "k3")}
"""Rejections that veRL has: `token_k1`, `seq_sum_k1` and so on."""


def rejections_of(block: Mapping[str, Any]) -> tuple[Rejection, ...]:
    """Return the block's rejections. Raises ValueError for words and thresholds that veRL does not take."""
    if block.get("rollout_rs") is None:
        return ()
    words = [word.strip() for word in str(block["rollout_rs"]).split(",") if word.strip()]
    bounds = [part.strip() for part in str(block.get("rollout_rs_threshold")).split(",") if part.strip()]
    bounds = bounds * len(words) if len(bounds) == 1 else bounds
    if len(bounds) != len(words):
        raise ValueError(f"{len(words)} rejections with {len(bounds)} thresholds")
    return tuple(_rejection(word, bound) for word, bound in dict(zip(words, bounds, strict=True)).items())


def executed_rejections(block: Mapping[str, Any]) -> tuple[Rejection, ...]:
    """Return the block's rejections; none where one is refused."""
    try:
        return rejections_of(block)
    except ValueError:
        return ()


def _rejection(word: str, bound: str) -> Rejection:
    level, _, estimator = word.removeprefix("seq_").rpartition("_")
    if (level != "token") != word.startswith("seq_") or estimator not in LEVELS.get(level, ()):
        raise ValueError(f"{word!r} is no rejection of veRL's")
    low, between, high = bound.rpartition("_")
    most, least = float(high), float(low) if between else 0.0
    if most <= 0 or (between and (least <= 0 or estimator != "k1")):
        raise ValueError(f"{bound!r} is no threshold of {word}")
    return (
        Rejection(level, estimator, log(least or 1 / most), log(most))
        if estimator == "k1"
        else Rejection(level, estimator, -inf, most)
    )
