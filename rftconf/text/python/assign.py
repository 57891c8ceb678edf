"""Names, attributes and entries of a Python text get their values."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from rftconf.text.python.arithmetic import combine
from rftconf.text.python.evaluate import evaluate
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Datum, Instance, Opaque


def assign(f: Interpreter, target: ast.expr, datum: Datum) -> None:
    """Give a name, an attribute, an entry, or several of them their values."""
    match target:
        case ast.Name(name):
            f.state.bind(name, datum)
        case ast.Attribute(base, name):
            instance = f.state.instance(evaluate(f, base).value)
            if instance is not None and instance.kind not in ("dict", "list", "data"):
                instance.fields[name] = Datum(datum.value, datum.place, datum.via, f.positions.place(target))
        case ast.Subscript(base, key):
            _set_entry(f.state.instance(evaluate(f, base).value), evaluate(f, key), datum)
        case ast.Tuple(elements) | ast.List(elements):
            _unpack(f, elements, datum)
        case ast.Starred(inner):
            assign(f, inner, Datum(Opaque(), datum.place))


def _set_entry(instance: Instance | None, key: Datum, datum: Datum) -> None:
    if instance is None or instance.kind not in ("dict", "list"):
        return
    if isinstance(key.value, (str, int)):
        instance.fields[str(key.value)] = Datum(datum.value, datum.place, datum.via, key.place)
    else:
        instance.unread = (*instance.unread, key.place)


def _unpack(f: Interpreter, elements: Sequence[ast.expr], datum: Datum) -> None:
    """Give several names their values; `from_pretrained` of some packages returns a model and its tokenizer."""
    instance = f.state.instance(datum.value)
    items = list(instance.fields.values()) if instance is not None and instance.kind == "list" else []
    pair = instance is not None and instance.kind == "model"
    for number, element in enumerate(elements):
        known = items[number] if len(items) == len(elements) else None
        if pair and number == 0:
            known = datum
        assign(f, element, known or Datum(Opaque("it is a part of what is not known here"), datum.place))


def augment(f: Interpreter, target: ast.expr, operator: ast.operator, datum: Datum) -> None:
    """Follow `+=` and its like."""
    instance = f.state.instance(evaluate(f, target).value)
    more = f.state.instance(datum.value)
    if instance is not None and instance.kind in ("list", "dict"):
        if instance.kind == "list" and more is not None and more.kind == "list":
            for item in more.fields.values():
                instance.fields[str(len(instance.fields))] = item
        elif more is not None and more.kind == "dict":
            instance.fields |= more.fields
        else:
            instance.unread = (*instance.unread, datum.place)
        return
    value = combine(type(operator), evaluate(f, target).value, datum.value)
    assign(f, target, Datum(value, f.positions.place(target)))
