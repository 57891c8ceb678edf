"""Conditions that must hold during a run: a breach stops it by name before it trains on wrong log-probs or weights."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, inf, isfinite
from typing import Any, NamedTuple

Array = Any
"""A NumPy array."""
PARITY_MAX = {"float32": 1e-5, "bfloat16": 0.1, "float16": 0.0125}
"""|log-prob of the engine - log-prob of the trainer| over all sampled tokens: the largest, or what `BY_MEAN` says."""
FIRST_RATIO_MAX = {"float32": 1e-3, "bfloat16": 0.1, "float16": 0.0125}
"""|ratio - 1| of the first update's tokens, in the same way."""
BY_MEAN = {"bfloat16", "float16"}
"""Types in which the mean over tokens counts. Between kernels for other shapes single tokens of a sound run differ by 0.5 in
16 bits, with means of 0.01 to 0.04 (huggingface/trl#6789, vllm-project/vime#64): a largest one would say nothing.
float16 has 3 bits more, an eighth of the error."""
PARITY_RATIO = {dtype: max(expm1(most), FIRST_RATIO_MAX[dtype]) for dtype, most in PARITY_MAX.items()}
"""Of log-probs that the engine computed, as a ratio, less 1."""


class GateError(RuntimeError):
    """A gate that was breached, with the number that breached it."""


class Gap(NamedTuple):
    """The difference between log-probs of the same tokens: the largest, their sum, and of how many tokens."""

    largest: float
    added: float
    tokens: int


def gap_between(engine: Array, trainer: Array) -> Gap:
    """Return how far log-probs of the same tokens lie apart."""
    gaps = abs(engine.astype("float64") - trainer)
    return Gap(float(gaps.max(initial=0.0)), float(gaps.sum()), len(gaps))


def parity(gaps: Sequence[Gap], dtype: str) -> float:
    """The difference that counts. Raises GateError when the engine does not hold the trainer's weights."""
    added, tokens = sum(gap.added for gap in gaps), sum(gap.tokens for gap in gaps)
    if not isfinite(added):
        return at_parity(inf, dtype)
    return at_parity(added / max(tokens, 1) if dtype in BY_MEAN else max(gap.largest for gap in gaps), dtype)


def at_parity(gap: float, dtype: str) -> float:
    """The difference itself. Raises GateError where it is too large, or no number."""
    limit, which = PARITY_MAX[dtype], "on average" if dtype in BY_MEAN else "at most"
    if not gap <= limit:
        raise GateError(
            f"log-probs of engine and trainer differ by {gap:.3g} {which}; more than {limit:g} in {dtype} means "
            "that the engine's weights or its prefix cache are stale"
        )
    return gap


def first_ratio(gap: float, most: float) -> None:
    """Raises GateError when the first update of a period does not start at ratio 1."""
    if not gap <= most:
        raise GateError(f"the first update's ratios differ from 1 by {gap:.3g}: the old log-probs are of other weights")


def same_weights(differing: Sequence[Sequence[str]]) -> None:
    """Raises GateError naming what an engine does not hold as the trainer does; `differing` names it for each engine."""
    for number, names in enumerate(differing):
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            raise GateError(f"engine {number} does not hold the trainer's {', '.join(names[:3])}{more}")
