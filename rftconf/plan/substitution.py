"""Names of expressions replaced by values that have become known."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.symbols import Arith, Branch, Expr, Number, OpenKey, Text, Value, Var, arith, text


def substitute(value: Value, known: Mapping[str, Value]) -> Value:
    """`value` with every name in `known` replaced and recomputed where that makes it known."""
    match value:
        case Var(name) | OpenKey(name):
            return known.get(name, value)
        case Text(parts):
            return text(*(p if isinstance(p, str) else _as_text(substitute(p, known)) for p in parts))
        case Arith(op, left, right):
            return arith(op, _as_number(substitute(left, known)), _as_number(substitute(right, known)))
        case Branch(condition, then, otherwise):
            return Branch(condition, substitute(then, known), substitute(otherwise, known))
        case list():
            return [substitute(v, known) for v in value]
        case dict():
            return {k: substitute(v, known) for k, v in value.items()}
    return value


def _as_text(value: Value) -> str | Expr:
    return value if isinstance(value, (str, Expr)) else str(value)


def _as_number(value: Value) -> Number:
    if isinstance(value, (int, float, Expr)):
        return value
    try:
        return int(str(value), 0)
    except ValueError:
        return float(str(value))
