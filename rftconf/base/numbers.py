"""The largest whole number that a file may hold: a product of a few such numbers still is a float, and no run needs more."""

from __future__ import annotations

from typing import Final

MOST_DIGITS: Final = 60
"""Digits of a whole number that is read as one."""
BEYOND: Final = 10**24
"""No setting of a run, a seed included, is as large."""


def whole(digits: str, base: int = 10) -> int:
    """The whole number of these digits. Raises ValueError for more than a file may hold, and for what are no digits."""
    return bounded(int(digits, base) if len(digits) <= 4 * MOST_DIGITS else 10**MOST_DIGITS)


def bounded(number: int) -> int:
    """Hand back a number that a file may hold. Raises ValueError for one that is larger."""
    if abs(number) >= 10**MOST_DIGITS:
        raise ValueError(f"a whole number of more than {MOST_DIGITS} digits")
    return number
