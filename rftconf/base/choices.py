"""Numbers may hang on conditions; these facts about them hold whichever way the conditions go."""

from __future__ import annotations

from math import gcd

from rftconf.base.symbols import Arith, Branch


def divisor_of_choices(value: object) -> int | None:
    """Return the largest number that surely divides each value that `value` can have; None where one of its parts is unknown."""
    match value:
        case bool():
            return None
        case int():
            return value
        case Branch(_, left, right) | Arith("+" | "-" | "*", left, right):
            first, second = divisor_of_choices(left), divisor_of_choices(right)
            if first is None or second is None:
                return None
            return first * second if isinstance(value, Arith) and value.op == "*" else gcd(first, second)
    return None
