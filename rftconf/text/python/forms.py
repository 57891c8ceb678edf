"""Forms of expressions in a Python text, each with the function that gives its value. A table."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from rftconf.text.python import arithmetic, calls, comprehensions, conditions, expressions
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Datum, Known

FORMS: dict[type, Callable[[Interpreter, Any], Datum | Known]] = {
    ast.Constant: expressions.constant, ast.Name: expressions.name, ast.Attribute: expressions.attribute,
    ast.Subscript: expressions.subscript, ast.JoinedStr: expressions.formatted, ast.Dict: expressions.mapping,
    ast.List: expressions.sequence, ast.Tuple: expressions.sequence, ast.Set: expressions.sequence,
    ast.NamedExpr: expressions.walrus, ast.BinOp: arithmetic.binary, ast.UnaryOp: arithmetic.unary,
    ast.BoolOp: conditions.choice, ast.Compare: conditions.compare, ast.IfExp: conditions.conditional, ast.Call: calls.call,
    ast.ListComp: comprehensions.of_list, ast.SetComp: comprehensions.of_list, ast.GeneratorExp: comprehensions.of_list,
    ast.DictComp: comprehensions.of_mapping,
}  # fmt: skip
