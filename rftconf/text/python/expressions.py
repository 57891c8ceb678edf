"""Literals, names, attributes, entries, lists, mappings and formatted texts of a Python text."""

from __future__ import annotations

import ast
import re

from rftconf.base.numbers import MOST_DIGITS
from rftconf.base.symbols import Expr, text
from rftconf.text.document import Via
from rftconf.text.python.arithmetic import bounded
from rftconf.text.python.evaluate import evaluate
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Datum, Imported, Known, Opaque, is_plain

_FORM = re.compile(r"[<>^]?0?\d{0,2},?(?:\.\d{1,2})?[dfegs%]?")


"""Forms of a value in a formatted text that are followed."""


def constant(f: Interpreter, node: ast.Constant) -> Known:
    """Return a literal."""
    del f
    value = node.value
    if isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
        return Opaque("it is a whole number that no setting has")
    return value if value is None or isinstance(value, (bool, int, float, str)) else Opaque("it is no plain value")


def name(f: Interpreter, node: ast.Name) -> Datum | Known:
    """Return the value of a name with the place where it got it."""
    datum = f.state.look_up(node.id)
    if datum is None:
        if node.id in f.bindings:
            return f.given_value(node.id)
        return Imported(f"builtins.{node.id}") if node.id in BUILTINS else Opaque(f"{node.id} is not known here")
    via = (*datum.via, Via(node.id, datum.place)) if is_plain(datum.value) else datum.via
    return Datum(datum.value, datum.place, via)


BUILTINS = frozenset(
    {"int", "float", "str", "bool", "dict", "list", "tuple", "max", "min", "round", "len", "getattr", "setattr", "vars"}
    | {"exit", "quit", "super", "print"}
)


def attribute(f: Interpreter, node: ast.Attribute) -> Datum | Known:
    """Return what an object, a class or a module has by name."""
    base = evaluate(f, node.value)
    if isinstance(base.value, Imported):
        return Imported(f"{base.value.path}.{node.attr}")
    fields = f.fields_of(base.value)
    if fields is None or node.attr not in fields:
        return Opaque(f".{node.attr} of what is not known here")
    return fields[node.attr]


def subscript(f: Interpreter, node: ast.Subscript) -> Datum | Known:
    """Return an entry: of a list, a mapping, the environment, or a split of a data set."""
    base, key = evaluate(f, node.value), evaluate(f, node.slice)
    if isinstance(base.value, Imported) and base.value.path == "os.environ":
        return f.environment(key.value)
    instance = f.state.instance(base.value)
    if instance is None or not isinstance(key.value, (str, int)):
        return Opaque()
    if instance.kind == "data":
        return _part(f, instance.fields, key, node)
    if instance.kind == "list" and isinstance(key.value, int):
        number = key.value if key.value >= 0 else len(instance.fields) + key.value
        return instance.fields.get(str(number), Datum(Opaque(), base.place))
    return instance.fields.get(str(key.value), Datum(Opaque(), base.place)) if instance.kind == "dict" else Opaque()


def _part(f: Interpreter, fields: dict[str, Datum], key: Datum, node: ast.expr) -> Known:
    """Return one split of a data set; of one that was cut here, a split's name says nothing of the data set's own."""
    if "cut" in fields or not isinstance(key.value, str):
        return f.state.make("data", f.positions.place(node), fields)
    return f.state.make("data", f.positions.place(node), {**fields, "split": key})


def formatted(f: Interpreter, node: ast.JoinedStr) -> Known:
    """Return a formatted text; names in it that nobody knows stay expressions."""
    parts: list[str | Expr] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        value = evaluate(f, part.value).value if isinstance(part, ast.FormattedValue) else Opaque()
        shape = getattr(part, "format_spec", None)
        written = _as_text(value, None if shape is None else formatted(f, shape))
        if written is None or getattr(part, "conversion", -1) != -1:
            return Opaque("a part of this text is not known here")
        parts.append(written)
    return bounded(text(*parts))


def _as_text(value: Known, form: Known) -> str | Expr | None:
    """Return a value as a text; None where its form is not followed, or nobody knows it."""
    if isinstance(value, Expr) and form is None:
        return value
    if value is not None and not isinstance(value, (bool, int, float, str)):
        return None
    if form is None or form == "":
        return str(value)
    if not isinstance(form, str) or not _FORM.fullmatch(form):
        return None
    try:
        return format(value, form)
    except (ValueError, TypeError):
        return None


def mapping(f: Interpreter, node: ast.Dict) -> Known:
    """Return a mapping, each entry with its place."""
    fields: dict[str, Datum] = {}
    ref = f.state.make("dict", f.positions.place(node))
    instance = f.state.objects[ref.number]
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            f.spread(instance, evaluate(f, value), fields)
            continue
        name, datum = evaluate(f, key), evaluate(f, value)
        if isinstance(name.value, (str, int)):
            fields[str(name.value)] = Datum(datum.value, datum.place, datum.via, name.place)
        else:
            instance.unread = (*instance.unread, name.place)
    instance.fields = fields
    return ref


def sequence(f: Interpreter, node: ast.List | ast.Tuple | ast.Set) -> Known:
    """Return a list; what stands in it keeps its place."""
    items: list[Datum] = []
    for element in node.elts:
        if not isinstance(element, ast.Starred):
            items.append(evaluate(f, element))
            continue
        instance = f.state.instance(evaluate(f, element.value).value)
        if instance is None or instance.kind != "list":
            return Opaque("a part of this list is not known here")
        items += instance.fields.values()
    return f.state.make("list", f.positions.place(node), {str(n): item for n, item in enumerate(items)})


def walrus(f: Interpreter, node: ast.NamedExpr) -> Datum:
    """Return the value that `name := value` gives the name."""
    datum = evaluate(f, node.value)
    f.state.bind(node.target.id, datum)
    return datum
