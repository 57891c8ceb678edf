"""Binary operators on 64-bit integers, as C and the shell have them."""

from __future__ import annotations

import re
from collections.abc import Callable

PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "**": 11,
}  # fmt: skip


_COUNT = re.compile(r"[0-9]{1,18}").fullmatch


def count_in(text: object) -> int | None:
    """The number that `text` counts to, in plain digits that 64 bits hold; None for anything else."""
    return int(text) if isinstance(text, str) and _COUNT(text) else None


def wrapped(value: int) -> int:
    """`value` as a signed 64-bit integer."""
    return (value + 2**63) % 2**64 - 2**63


def divide(left: int, right: int) -> int:
    """Division that cuts off towards zero."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def power(left: int, right: int) -> int:
    """`left ** right` in 64 bits; ValueError for a negative exponent."""
    if right < 0:
        raise ValueError(right)
    return pow(left, right, 2**64)


BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divide,
    "%": lambda a, b: a - b * divide(a, b),
    "**": power,
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}
