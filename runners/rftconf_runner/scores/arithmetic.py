"""The arithmetic of answers, computed without running them.

The frameworks' rules hand answers to `eval`, also by way of sympy's parser, and so run whatever a model wrote. Here only numbers
are computed, and sympy is given only texts in which nothing can be called by name.
"""

from __future__ import annotations

import ast
import operator
import re
from typing import Any

TWO: dict[type[ast.operator], Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitXor: operator.xor,
}  # fmt: skip
ONE: dict[type[ast.unaryop], Any] = {ast.UAdd: operator.pos, ast.USub: operator.neg}

SEVERAL: dict[type[ast.expr], Any] = {ast.Tuple: tuple, ast.List: list, ast.Set: set}

MATRIX = re.compile(r"Matrix\((?:[\[\]\d\s,+\-*/()]|\.(?=\d)|(?<![A-Za-z])[A-Za-z](?![A-Za-z]))*\)")
"""A matrix whose elements are arithmetic of numbers and letters: no word in it, no attribute and no text."""
ATTRIBUTE = re.compile(r"\.\s*[^\W\d]")


def is_plain_matrix(text: str) -> bool:
    """True where sympy's parser, which evaluates what it reads, finds nothing but numbers and letters in a matrix."""
    return MATRIX.fullmatch(text) is not None


def has_attributes(text: str) -> bool:
    """True where a text reaches into what it names, which no expression of mathematics does."""
    return ATTRIBUTE.search(text) is not None


def evaluated(text: str) -> Any:
    """Return a number, or a tuple, list or set of such. Raises ValueError, or what Python raises, for anything else."""
    return _of(ast.parse(text.lstrip(" \t"), mode="eval").body)


def _of(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex, str)):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in TWO:
        return TWO[type(node.op)](_of(node.left), _of(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in ONE:
        return ONE[type(node.op)](_of(node.operand))
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return SEVERAL[type(node)]([_of(elt) for elt in node.elts])
    raise ValueError("no arithmetic")
