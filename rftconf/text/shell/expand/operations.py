"""Tokens of the shell's arithmetic, and its operators over numbers that are known or not."""

from __future__ import annotations

import re
from typing import TypeAlias

from rftconf.base.symbols import Arith, Branch, Expr, ShellOnly, Text, Value, arith, formula, names_in
from rftconf.text.shell.expand.integers import BINARY, wrapped
from rftconf.text.shell.values import Known

Integer: TypeAlias = int | Expr


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+#[\w@]+|0[xX][0-9a-fA-F]+|\d+)|(?P<name>[A-Za-z_]\w*)|(?P<unknown>[\ue000-\uf8ff])"
    r"|(?P<op>\*\*|<<=|>>=|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&^|]=|[-+*/%<>!~&^|?:=,()\[\]]))"
)


_SYMBOLIC = frozenset({"+", "-", "*"})


MAX_TOKENS = 500
MAX_DIGITS = 80


class Invalid(Exception):  # noqa: N818
    """Bash would reject the expression."""


def tokens(text: str) -> list[tuple[str, str]]:
    """(kind, text) for every token."""
    tokens_read, offset = list[tuple[str, str]](), 0
    while offset < len(text):
        token = _TOKEN.match(text, offset)
        if token is None:
            if not text[offset:].strip():
                break
            raise Invalid(f"`{text[offset:].strip()[:10]}` is no arithmetic")
        kind = str(token.lastgroup)
        if kind != "op" and tokens_read and tokens_read[-1][0] != "op":
            raise Invalid("an operator is missing")
        tokens_read.append((kind, token[kind]))
        offset = token.end()
        if len(tokens_read) > MAX_TOKENS:
            raise Invalid("it is too long")
    return tokens_read


def literal(text: str) -> int:
    """A number as the shell writes it: decimal, octal, hexadecimal or `base#digits`."""
    try:
        if len(text) > MAX_DIGITS:
            raise Invalid("the number is too large")
        if "#" in text:
            base, digits = text.split("#")
            return wrapped(int(digits, int(base)))
        if text[:2] in ("0x", "0X"):
            return wrapped(int(text, 16))
        return wrapped(int(text, 8 if text[0] == "0" else 10))
    except ValueError as error:
        raise Invalid(f"`{text}` is no number of its base") from error


def decided(value: Integer) -> bool | None:
    """True where a number counts as true to bash, which is not 0; None when it is unknown."""
    return None if isinstance(value, Expr) else value != 0


def combine(op: str, left: Integer, right: Integer) -> Integer:
    """`left op right`; over unknown operands it stays an expression."""
    if isinstance(left, Branch):
        return _spread(left, lambda value: combine(op, value, right))
    if isinstance(right, Branch):
        return _spread(right, lambda value: combine(op, left, value))
    if isinstance(left, Expr) or isinstance(right, Expr):
        if op in _SYMBOLIC:
            result = arith(op, left, right)
            return result if isinstance(result, Expr) else int(result)
        if op == "/" and right == 1:
            return left
        return opaque(op, left, right)
    try:
        return wrapped(BINARY[op](left, right))
    except ZeroDivisionError as error:
        raise Invalid("division by 0") from error
    except ValueError as error:
        raise Invalid("the exponent is negative") from error


def _spread(value: Branch, change: object) -> Integer:
    assert callable(change)
    arms = [change(arm if isinstance(arm, (int, Expr)) else int(str(arm))) for arm in (value.then, value.otherwise)]
    return arms[0] if arms[0] == arms[1] else Branch(value.condition, arms[0], arms[1])


def opaque(op: str, left: Integer, right: Integer) -> Expr:
    """An operation that only a shell computes the way a shell does (division cuts off, for one)."""
    names = tuple(sorted(names_in(left) | names_in(right)))
    sides = [f"({formula(v)})" if isinstance(v, (Arith, Text)) else formula(v) for v in (left, right)]
    return ShellOnly(f"$(({sides[0]} {op} {sides[1]}))", names)


def as_text(value: Value) -> Known:
    """A number as the shell writes it."""
    if isinstance(value, Branch):
        return Branch(value.condition, as_text(value.then), as_text(value.otherwise))
    return value if isinstance(value, Expr) else str(value)


def branch_arm(value: object) -> Known:
    """An arm of a conditional value, as text or expression."""
    return value if isinstance(value, (str, Expr)) else str(value)
