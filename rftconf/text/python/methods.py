"""Methods of objects that a Python text makes: of dictionaries, lists, data sets and parsers of arguments."""

from __future__ import annotations

import ast

from rftconf.text.launch.trainers import ROWS_CHANGE
from rftconf.text.python.arguments import Arguments, parsed
from rftconf.text.python.class_parsers import KIND, PARSES, parsed_classes
from rftconf.text.python.evaluate import evaluate
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Datum, Imported, Instance, Known, Opaque

_DATA = frozenset(
    {
        "map",
        "shuffle",
        "rename_column",
        "rename_columns",
        "remove_columns",
        "cast_column",
        "with_format",
        "flatten",
        "sort",
    }
)
_PARSER = frozenset(
    {"add_argument", "add_argument_group", "add_mutually_exclusive_group", "parse_args", "parse_known_args"}
)
METHODS = (
    frozenset({"update", "append", "extend", "get", "copy", "pop", "setdefault", "items", "keys", "values"})
    | _DATA
    | ROWS_CHANGE
    | _PARSER
    | PARSES
)

OF_TEXTS = frozenset(
    {"split", "rsplit", "replace", "lower", "upper", "strip", "rstrip", "lstrip", "removeprefix", "removesuffix"}
)
_LONGEST = 1_000


def method(f: Interpreter, node: ast.Call, base: Datum, arguments: Arguments) -> Datum | Known:
    """Return what a method of a known object gives, and follow what it changes."""
    instance = f.state.instance(base.value)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if instance is None:
        return Opaque()
    if instance.kind == "data":
        return _of_data(f, node, instance, name)
    if instance.kind == KIND:
        return parsed_classes(f, node, instance) if name in PARSES else Opaque()
    if instance.kind == "parser":
        return _of_parser(f, node, base, instance, name, arguments)
    if instance.kind == "list":
        return _of_list(f, instance, name, arguments)
    return _of_dict(f, node, instance, name, arguments) if instance.kind == "dict" else Opaque()


def of_text(f: Interpreter, node: ast.Call, written: str, name: str) -> Known:
    """Return what a plain method of a text gives for plain arguments: a text, or the parts of one."""
    words = [evaluate(f, part).value for part in node.args]
    if node.keywords or len(written) > _LONGEST or not all(isinstance(word, (str, int)) for word in words):
        return Opaque()
    if sum(len(word) for word in words if isinstance(word, str)) > _LONGEST:
        return Opaque()
    try:
        value = getattr(written, name)(*words)
    except (TypeError, ValueError):
        return Opaque("this call stops the program")
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else Opaque()
    place = f.positions.place(node)
    return f.state.make("list", place, {str(number): Datum(part, place) for number, part in enumerate(value)})


def _of_data(f: Interpreter, node: ast.Call, instance: Instance, name: str) -> Known:
    """A data set with other columns or in another order stays itself; one with other rows is noted."""
    fields = dict(instance.fields)
    place = f.positions.place(node)
    if name in ROWS_CHANGE:
        f.rows.append((name, node))
        fields["cut"] = Datum(name, place)
    return f.state.make("data", place, fields)


def _of_list(f: Interpreter, instance: Instance, name: str, arguments: Arguments) -> Known:
    more = arguments.placed[0] if arguments.placed else None
    inner = f.state.instance(more.value) if more is not None else None
    if name == "append" and more is not None:
        instance.fields[str(len(instance.fields))] = more
    elif name == "extend" and inner is not None and inner.kind == "list":
        for datum in list(inner.fields.values()):
            instance.fields[str(len(instance.fields))] = datum
    elif more is not None:
        instance.unread = (*instance.unread, more.place)
    return None


def _of_dict(f: Interpreter, node: ast.Call, instance: Instance, name: str, arguments: Arguments) -> Datum | Known:
    key = arguments.placed[0].value if arguments.placed else None
    if name == "copy":
        return f.state.make("dict", f.positions.place(node), instance.fields)
    if name in ("items", "keys", "values"):
        return _entries(f, node, instance, name)
    if name == "update":
        for datum in arguments.placed:
            f.spread(instance, datum, instance.fields)
        instance.fields |= arguments.named
        return None
    if not isinstance(key, str) or instance.unread:
        return Opaque()
    default = arguments.placed[1] if len(arguments.placed) > 1 else Datum(None, f.positions.place(node))
    value = instance.fields.get(key, default)
    if name == "pop":
        instance.fields.pop(key, None)
    elif name == "setdefault":
        instance.fields.setdefault(key, default)
    return value


def _entries(f: Interpreter, node: ast.Call, instance: Instance, name: str) -> Known:
    """Return what a mapping holds as a list: pairs, names or values."""
    place = f.positions.place(node)
    if instance.unread:
        return Opaque()
    entries: list[Datum] = []
    for key, datum in instance.fields.items():
        named = Datum(key, datum.name_place or datum.place)
        pair = Datum(f.state.make("list", place, {"0": named, "1": datum}), place) if name == "items" else datum
        entries.append(named if name == "keys" else pair)
    return f.state.make("list", place, {str(number): entry for number, entry in enumerate(entries)})


def _of_parser(
    f: Interpreter, node: ast.Call, base: Datum, instance: Instance, name: str, arguments: Arguments
) -> Datum | Known:
    if name == "add_argument":
        _add(f, instance, arguments)
        return Opaque()
    if name in ("parse_args", "parse_known_args"):
        place = f.positions.place(node)
        options = f.state.make(
            "arguments",
            place,
            {key: parsed(f, key, d, instance.flags.get(key, ())) for key, d in instance.fields.items()},
        )
        if name == "parse_args":
            return options
        items = {"0": Datum(options, place), "1": Datum(Opaque(), place)}
        return f.state.make("list", place, items)
    return base


def _add(f: Interpreter, instance: Instance, arguments: Arguments) -> None:
    """An option: its default where one is plainly stated, else its name."""
    flags = [datum.value for datum in arguments.placed if isinstance(datum.value, str)]
    if not flags:
        return
    long = next((flag for flag in flags if flag.startswith("--")), flags[0])
    own = arguments.named.get("dest")
    key = own.value if own is not None and isinstance(own.value, str) else long.lstrip("-").replace("-", "_")
    action, default, kind = (arguments.named.get(word) for word in ("action", "default", "type"))
    place = arguments.placed[0].place
    value: Known = f.symbol(key)
    if default is not None:
        value = _converted(default.value, kind.value if kind is not None else None)
        place = default.place
    elif action is not None and action.value in ("store_true", "store_false"):
        value = action.value == "store_false"
    instance.fields[key] = Datum(value, place)
    instance.flags[key] = tuple(flag for flag in flags if flag.startswith("-"))


def _converted(value: Known, kind: Known) -> Known:
    """argparse converts a default that is a text, as it converts what is given."""
    if isinstance(value, str) and isinstance(kind, Imported) and kind.path in ("builtins.int", "builtins.float"):
        try:
            return int(value) if kind.path == "builtins.int" else float(value)
        except ValueError:
            return Opaque()
    return value
