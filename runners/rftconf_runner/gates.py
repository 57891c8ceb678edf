"""What must hold while a run runs; a breach stops it by name before it trains on something else than it thinks."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1

PARITY_MAX = {"float32": 1e-5, "bfloat16": 0.2, "float16": 0.05}
"""Largest |log-prob of the engine - log-prob of the trainer| over all sampled tokens."""
FIRST_RATIO_MAX = 1e-3
PARITY_RATIO = {dtype: max(expm1(most), FIRST_RATIO_MAX) for dtype, most in PARITY_MAX.items()}
"""The same as a ratio, less 1."""


class GateError(RuntimeError):
    """A gate that was breached, with the number that breached it."""


def parity(engine: Sequence[Sequence[float]], trainer: Sequence[Sequence[float]], dtype: str) -> float:
    """The largest difference. Raises GateError when the engine does not hold the trainer's weights."""
    pairs = ((a, b) for one, other in zip(engine, trainer, strict=True) for a, b in zip(one, other, strict=True))
    gaps = [abs(a - b) for a, b in pairs]
    breach = next((gap for gap in gaps if not gap <= PARITY_MAX[dtype]), None)  # also what is no number
    return at_parity(max(gaps, default=0.0) if breach is None else breach, dtype)


def at_parity(gap: float, dtype: str) -> float:
    """The largest difference itself. Raises GateError where it is too large, or no number."""
    limit = PARITY_MAX[dtype]
    if not gap <= limit:
        raise GateError(
            f"log-probs of engine and trainer differ by {gap:.3g}; more than {limit:g} in {dtype} means "
            "that the engine's weights or its prefix cache are stale"
        )
    return gap


def first_ratio(gap: float, most: float = FIRST_RATIO_MAX) -> None:
    """Raises GateError when the first update of a period does not start at ratio 1."""
    if not gap <= most:
        raise GateError(f"the first update's ratios differ from 1 by {gap:.3g}: the old log-probs are of other weights")


def same_weights(differing: Sequence[Sequence[str]]) -> None:
    """Raises GateError naming what an engine does not hold as the trainer does; `differing` names it for each engine."""
    for number, names in enumerate(differing):
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            raise GateError(f"engine {number} does not hold the trainer's {', '.join(names[:3])}{more}")
