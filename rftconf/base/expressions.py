"""Plan values as JSON and back: known ones as they are, unknown ones as their formula and the tree that it was made of.

    {"$expr": "BS * 4", "tree": {"op": "*", "of": [{"var": "BS"}, 4]}}

A number that JSON has no word for is `{"$float": "inf"}`, and a mapping with a key that begins with `$` stands in
`{"$plain": {...}}`, so that nothing that a person writes is taken for one of these.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rftconf.base.symbols import Arith, Branch, Expr, Now, OpenKey, ShellOnly, Text, Value, Var, formula

EXPRESSION, TREE, FLOAT, PLAIN = "$expr", "tree", "$float", "$plain"
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!=")
FLOATS = ("inf", "-inf", "nan")
_NAME = re.compile(r"[A-Za-z_]\w*|\d+|[@*#?$!-]", re.ASCII)
_FORMS: Mapping[str, frozenset[str]] = {
    "var": frozenset({"var"}),
    "open": frozenset({"open"}),
    "text": frozenset({"text"}),
    "op": frozenset({"op", "of"}),
    "shell": frozenset({"shell", "names"}),
    "if": frozenset({"if", "then", "else"}),
    "now": frozenset({"now"}),
    "value": frozenset({"value"}),
}
"""Kinds of nodes, by the key that each has alone, and all its keys."""


class ExpressionError(ValueError):
    """An object that begins as one of ours and is none; `path` leads to the part that is wrong."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.path = message, path


def dump_value(value: Any) -> Any:
    """A plan value as strict JSON."""
    if isinstance(value, Expr):
        return {EXPRESSION: formula(value), TREE: _dump_node(value)}
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT: str(value)}
    if isinstance(value, (list, tuple)):
        return [dump_value(item) for item in value]
    if isinstance(value, dict):
        items = {str(name): dump_value(item) for name, item in value.items()}
        return {PLAIN: items} if any(name.startswith("$") for name in items) else items
    return value


def _dump_node(value: Any) -> Any:
    match value:
        case Var(name):
            return {"var": name}
        case OpenKey(key):
            return {"open": key}
        case Text(parts):
            return {"text": [_dump_node(part) for part in parts]}
        case Arith(op, left, right):
            return {"op": op, "of": [_dump_node(left), _dump_node(right)]}
        case ShellOnly(source, names):
            return {"shell": source, "names": list(names)}
        case Branch(condition, then, otherwise):
            return {"if": condition, "then": _dump_node(then), "else": _dump_node(otherwise)}
        case Now(form):
            return {"now": form}
    known = dump_value(value)
    return {"value": known} if isinstance(known, (dict, list)) else known


def load_value(data: Any, path: tuple[str | int, ...] = ()) -> Any:
    """The value that `dump_value` wrote. Raises ExpressionError."""
    if isinstance(data, list):
        return [load_value(item, (*path, index)) for index, item in enumerate(data)]
    if not isinstance(data, dict):
        return data
    if EXPRESSION in data:
        return _load_expression(data, path)
    if FLOAT in data:
        if set(data) != {FLOAT} or data[FLOAT] not in FLOATS:
            raise ExpressionError(f"{FLOAT} is one of {', '.join(FLOATS)}, alone in its object", path)
        return float(data[FLOAT])
    if PLAIN in data:
        if set(data) != {PLAIN} or not isinstance(data[PLAIN], dict):
            raise ExpressionError(f"{PLAIN} holds a mapping, alone in its object", path)
        data, path = data[PLAIN], (*path, PLAIN)
    return {name: load_value(item, (*path, name)) for name, item in data.items()}


def _load_expression(data: Mapping[str, Any], path: tuple[str | int, ...]) -> Expr:
    text = data[EXPRESSION]
    if set(data) - {EXPRESSION, TREE} or not isinstance(text, str):
        raise ExpressionError(f"an unknown value has {EXPRESSION}, its formula as text, and {TREE}", path)
    if TREE not in data:
        if not _NAME.fullmatch(text):
            raise ExpressionError(f"{EXPRESSION} without {TREE} is the name of a variable; {text!r} is none", path)
        return Var(text)
    node = _load_node(data[TREE], (*path, TREE))
    if not isinstance(node, Expr):
        raise ExpressionError("this tree is a known value; write the value itself", (*path, TREE))
    if formula(node) != text:
        raise ExpressionError(f"{EXPRESSION} says {text}, and {TREE} is {formula(node)}", path)
    return node


def _load_node(data: Any, path: tuple[str | int, ...]) -> Any:
    if not isinstance(data, dict):
        if isinstance(data, list):
            raise ExpressionError('a list in a tree stands in {"value": [...]}', path)
        return data
    kind = next((name for name in _FORMS if name in data), None)
    if kind is None or set(data) != _FORMS[kind]:
        forms = "; ".join(" and ".join(sorted(keys, key=list(keys).index)) for keys in _FORMS.values())
        raise ExpressionError(f"a node of a tree has the keys {forms}", path)
    return _node(kind, data, path)


def _node(kind: str, data: Mapping[str, Any], path: tuple[str | int, ...]) -> Value:
    if kind == "value":
        plain_value: Value = load_value(data["value"], (*path, "value"))
        return plain_value
    if kind == "op":
        parts = _list_of(data["of"], (*path, "of"))
        if data["op"] not in OPERATORS or len(parts) != 2:
            raise ExpressionError(f"op is one of {' '.join(OPERATORS)}, and of holds two parts", path)
        left, right = (_load_node(part, (*path, "of", index)) for index, part in enumerate(parts))
        return Arith(data["op"], _number(left, (*path, "of", 0)), _number(right, (*path, "of", 1)))
    if kind == "text":
        nodes = [
            _load_node(part, (*path, kind, index)) for index, part in enumerate(_list_of(data[kind], (*path, kind)))
        ]
        if not nodes or not all(isinstance(part, (str, Expr)) and not isinstance(part, Text) for part in nodes):
            raise ExpressionError("text holds texts and unknown values, none of them text with parts itself", path)
        return Text(tuple(nodes))
    if not isinstance(data[kind], str):
        raise ExpressionError(f"{kind} is text", (*path, kind))
    if kind == "if":
        then, otherwise = (_load_node(data[name], (*path, name)) for name in ("then", "else"))
        return Branch(data[kind], then, otherwise)
    if kind == "shell":
        names = _list_of(data["names"], (*path, "names"))
        if not all(isinstance(name, str) for name in names):
            raise ExpressionError("names are those of variables", (*path, "names"))
        return ShellOnly(data[kind], tuple(names))
    named: Mapping[str, Callable[[str], Expr]] = {"var": Var, "open": OpenKey, "now": Now}
    return named[kind](data[kind])


def _list_of(data: Any, path: tuple[str | int, ...]) -> list[Any]:
    if not isinstance(data, list):
        raise ExpressionError(f"{path[-1]} is a list", path)
    return data


def _number(value: Any, path: tuple[str | int, ...]) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float, Expr)):
        raise ExpressionError("arithmetic is of numbers and of unknown values", path)
    return value
