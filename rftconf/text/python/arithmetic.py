"""Arithmetic of what is known, and texts that are put together, in a Python text."""

from __future__ import annotations

import ast

from rftconf.base.symbols import Expr, arith, text
from rftconf.text.python.conditions import truth
from rftconf.text.python.evaluate import evaluate
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Known, Opaque

_OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
}  # fmt: skip


_LARGEST = 1e30


_LONGEST = 10_000


"""Characters of a text that is put together."""


def binary(f: Interpreter, node: ast.BinOp) -> Known:
    """Return what an operator gives: arithmetic, joined texts, lists and mappings put together."""
    left, right = evaluate(f, node.left).value, evaluate(f, node.right).value
    mine, theirs = f.state.instance(left), f.state.instance(right)
    if mine is not None and theirs is not None and mine.kind == theirs.kind:
        if isinstance(node.op, ast.BitOr) and mine.kind == "dict":
            return f.state.make("dict", f.positions.place(node), mine.fields | theirs.fields)
        if isinstance(node.op, ast.Add) and mine.kind == "list":
            items = enumerate([*mine.fields.values(), *theirs.fields.values()])
            return f.state.make("list", f.positions.place(node), {str(number): item for number, item in items})
    return combine(type(node.op), left, right)


def combine(kind: type, left: Known, right: Known) -> Known:
    """Return what an operator makes of two values."""
    if isinstance(left, str) or isinstance(right, str):
        return _joined(kind, left, right)
    operator = _OPERATORS.get(kind)
    if operator is None or not _is_number(left) or not _is_number(right):
        return Opaque()
    if operator == "**" and not (_small(left, 1e6) and _small(right, 64)):
        return Opaque()
    try:
        value = _divided(left, right) if operator == "/" else arith(operator, left, right)  # type: ignore[arg-type]
    except (ZeroDivisionError, OverflowError, TypeError):
        return Opaque("this arithmetic stops the program")
    known = isinstance(value, Expr) or (isinstance(value, (int, float)) and abs(value) < _LARGEST)
    return value if known else Opaque()


def _divided(left: Known, right: Known) -> Known:
    """Return a quotient; of two numbers it is one with decimals, as in Python."""
    if isinstance(left, Expr) or isinstance(right, Expr):
        return arith("/", left, right)  # type: ignore[arg-type]
    return left / right  # type: ignore[operator]


def _joined(kind: type, left: Known, right: Known) -> Known:
    parts = (left, right)
    if not all(isinstance(part, (str, Expr)) for part in parts):
        return Opaque()
    if kind is ast.Add:
        return bounded(text(left, right))  # type: ignore[arg-type]
    return bounded(text(left, "/", right)) if kind is ast.Div else Opaque()  # type: ignore[arg-type]


def bounded(value: Known) -> Known:
    """Return a text that is put together, unless it is longer than is followed."""
    return Opaque("a text longer than is followed") if isinstance(value, str) and len(value) > _LONGEST else value


def _is_number(value: Known) -> bool:
    return isinstance(value, (int, float, Expr)) and not isinstance(value, bool)


def _small(value: Known, most: float) -> bool:
    return isinstance(value, (int, float)) and abs(value) <= most


def unary(f: Interpreter, node: ast.UnaryOp) -> Known:
    """Return `-a`, `+a` or `not a` of what is known."""
    value = evaluate(f, node.operand).value
    if isinstance(node.op, ast.Not):
        known = truth(f, value)
        return Opaque() if known is None else not known
    if not _is_number(value) or isinstance(node.op, ast.Invert):
        return Opaque()
    return combine(ast.Mult, -1, value) if isinstance(node.op, ast.USub) else value
