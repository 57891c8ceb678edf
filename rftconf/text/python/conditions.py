"""Conditions of a Python text: which way is taken, where the text decides it."""

from __future__ import annotations

import ast

from rftconf.base.symbols import Var
from rftconf.text.python.evaluate import evaluate
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Datum, Imported, Known, Opaque, same


def truth(f: Interpreter, value: Known) -> bool | None:
    """Return whether a value counts as true; None where nobody knows."""
    instance = f.state.instance(value)
    if instance is not None:
        return bool(instance.fields) if instance.kind in ("list", "dict") else None
    return bool(value) if value is None or isinstance(value, (bool, int, float, str)) else None


def choice(f: Interpreter, node: ast.BoolOp) -> Datum | Known:
    """`a or b`, `a and b`: a variable of the environment that nobody gave is not set, so that `or` gives its default."""
    wants = isinstance(node.op, ast.Or)
    for operand in node.values[:-1]:
        datum = evaluate(f, operand)
        unset = wants and isinstance(datum.value, Var) and datum.value.name in f.asked
        known = False if unset else truth(f, datum.value)
        if known is None:
            return Opaque()
        if known is wants:
            return datum
    return evaluate(f, node.values[-1])


def compare(f: Interpreter, node: ast.Compare) -> Known:
    """Return whether one comparison holds, where both sides are known."""
    if len(node.ops) != 1:
        return Opaque()
    left, right = evaluate(f, node.left), evaluate(f, node.comparators[0])
    operator = type(node.ops[0])
    if operator in (ast.In, ast.NotIn) and _holds_arguments(right.value):
        return operator is ast.In  # what the installed release lacks is left out: the release decides it, not the text
    if operator in (ast.In, ast.NotIn):
        instance = f.state.instance(right.value)
        if (
            instance is None
            or instance.kind != "list"
            or not _decided(left.value, *(d.value for d in instance.fields.values()))
        ):
            return Opaque()
        return (operator is ast.In) == any(left.value == datum.value for datum in instance.fields.values())
    if not _decided(left.value, right.value):
        return Opaque()
    if operator in (ast.Eq, ast.Is):
        return left.value == right.value
    if operator in (ast.NotEq, ast.IsNot):
        return left.value != right.value
    return _ordered(operator, left.value, right.value)


SIGNATURE = "arguments of a config"
"""Stands for the names that GRPOConfig of the installed release takes."""


def _holds_arguments(value: Known) -> bool:
    """True for the names of the arguments that the installed release's config has."""
    path = value.path if isinstance(value, Imported) else ""
    return path.startswith(SIGNATURE) or path.endswith("GRPOConfig.__dataclass_fields__")


def _decided(*values: Known) -> bool:
    return all(value is None or isinstance(value, (bool, int, float, str)) for value in values)


def _ordered(operator: type, left: Known, right: Known) -> Known:
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return Opaque()
    signs: dict[type, Known] = {
        ast.Lt: left < right,
        ast.LtE: left <= right,
        ast.Gt: left > right,
        ast.GtE: left >= right,
    }
    return signs.get(operator, Opaque())


def conditional(f: Interpreter, node: ast.IfExp) -> Datum | Known:
    """Return `a if c else b`: the way that is taken, or what both ways give."""
    known = truth(f, evaluate(f, node.test).value)
    then, otherwise = evaluate(f, node.body), evaluate(f, node.orelse)
    if known is None:
        return then if same(then, otherwise) else Opaque("it depends on a condition that the text does not decide")
    return then if known else otherwise
