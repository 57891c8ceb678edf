"""Parsers of transformers and TRL whose options are the fields of a dataclass of the text's own."""

from __future__ import annotations

import ast

from rftconf.text.python.arguments import Arguments, parsed
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Class, Datum, Instance, Known, Opaque

KIND = "parser of classes"
PARSES = frozenset({"parse_args_into_dataclasses", "parse_args_and_config"})


def parser_of_classes(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    """Return the parser that `HfArgumentParser(Own)` or `TrlParser((Own, GRPOConfig))` makes."""
    classes = arguments.get(0, "dataclass_types")
    instance = f.state.instance(classes.value) if classes is not None else None
    if classes is None:
        return Opaque()
    fields = instance.fields if instance is not None and instance.kind == "list" else {"0": classes}
    return f.state.make(KIND, f.positions.place(node), fields)


def parsed_classes(f: Interpreter, node: ast.Call, instance: Instance) -> Known:
    """Return an object of each class: a field has its default, or is a symbol. What TRL's own classes hold, the command says."""
    place = f.positions.place(node)
    objects: dict[str, Datum] = {}
    for number, datum in instance.fields.items():
        value: Known = Opaque("the command line says what it holds")
        if isinstance(datum.value, Class) and not datum.value.bases:
            value = f.state.make("object", place, _fields(f, datum.value))
        objects[number] = Datum(value, place)
    return f.state.make("list", place, objects)


def _fields(f: Interpreter, of: Class) -> dict[str, Datum]:
    fields: dict[str, Datum] = {}
    for part in of.node.body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            name = part.target.id
            datum = of.fields.get(name) or Datum(f.symbol(name), f.positions.place(part))
            fields[name] = parsed(f, name, datum)
    return fields
