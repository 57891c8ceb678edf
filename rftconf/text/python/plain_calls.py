"""Plain calls in a Python text: of its built-in functions, of the environment, of paths, of copies."""

from __future__ import annotations

import ast
from collections.abc import Callable

from rftconf.base.symbols import Expr, text
from rftconf.text.launch import trainers
from rftconf.text.python.arguments import Arguments
from rftconf.text.python.conditions import SIGNATURE
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Class, Datum, Imported, Known, Opaque


def _environment(f: Interpreter, node: ast.Call, arguments: Arguments) -> Datum | Known:
    del node
    key = arguments.get(0, "key")
    return Opaque() if key is None else f.environment(key.value, arguments.get(1, "default"))


def _joined(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    """`os.path.join`, `Path`: parts of a path, the last absolute one first."""
    del f, node
    parts = [datum.value for datum in arguments.placed]
    if not parts or not all(isinstance(part, (str, Expr)) for part in parts):
        return Opaque()
    whole: str | Expr = ""
    for part in parts:
        absolute = isinstance(part, str) and part.startswith("/")
        blank = whole == "" or (isinstance(whole, str) and whole.endswith("/"))
        whole = part if absolute else text(whole, "" if blank else "/", part)  # type: ignore[assignment,arg-type]
    return whole


def _cast(kind: Callable[..., Known]) -> Callable[[Interpreter, ast.Call, Arguments], Known]:
    """`int`, `float`, `str`, `bool` of a plain value; of an expression they leave what it is."""

    def cast(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
        del f, node
        value = arguments.placed[0].value if len(arguments.placed) == 1 else Opaque()
        if isinstance(value, Expr):
            return value
        if not isinstance(value, (bool, int, float, str)) or (isinstance(value, str) and len(value) > _LONGEST):
            return Opaque()
        try:
            return kind(value)
        except (ValueError, OverflowError):
            return Opaque("this conversion stops the program")

    return cast


_LONGEST = 1_000


def _mapping(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    """`dict(a=1)`, `vars(args)`: what an object holds by name."""
    inner = f.state.instance(arguments.placed[0].value) if arguments.placed else None
    if arguments.placed and (inner is None or inner.kind == "list"):
        return Opaque()
    ref = f.state.make("dict", f.positions.place(node), {**(inner.fields if inner else {}), **arguments.named})
    f.state.objects[ref.number].unread = inner.unread if inner else ()
    return ref


def _attribute(f: Interpreter, node: ast.Call, arguments: Arguments) -> Datum | Known:
    fields = f.fields_of(arguments.placed[0].value) if len(arguments.placed) > 1 else None
    name = arguments.placed[1].value if fields is not None else None
    if fields is None or not isinstance(name, str):
        return Opaque()
    del node
    return fields.get(name) or Opaque()


def _set_attribute(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    instance = f.state.instance(arguments.placed[0].value) if len(arguments.placed) == 3 else None
    if instance is not None:
        name, datum = arguments.placed[1], arguments.placed[2]
        if isinstance(name.value, str):
            instance.fields[name.value] = Datum(datum.value, datum.place, datum.via, name.place)
        else:
            instance.unread = (*instance.unread, f.positions.place(node))
    return None


def _changed_copy(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    """`dataclasses.replace(config, beta=0.1)`, `copy.deepcopy(config)`."""
    instance = f.state.instance(arguments.placed[0].value) if arguments.placed else None
    if instance is None:
        return Opaque()
    ref = f.state.make(instance.kind, f.positions.place(node), instance.fields | arguments.named)
    f.state.objects[ref.number].unread = instance.unread
    if instance.kind == trainers.CONFIG:
        f.made.append(ref)
    return ref


def _exit(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    del f, node, arguments
    return Opaque("exit")


def _signature(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    """`inspect.signature(GRPOConfig)`: which arguments the installed release has."""
    del f, node
    of = arguments.placed[0].value if arguments.placed else None
    name = of.name if isinstance(of, Imported) else of.node.name if isinstance(of, Class) else ""
    return Imported(SIGNATURE) if name == "GRPOConfig" else Opaque()


def _length(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
    del node
    value = arguments.placed[0].value if len(arguments.placed) == 1 else Opaque()
    instance = f.state.instance(value)
    if instance is not None and instance.kind in ("list", "dict") and not instance.unread:
        return len(instance.fields)
    return len(value) if isinstance(value, str) else Opaque()


def _extreme(kind: Callable[[list[float]], float]) -> Callable[[Interpreter, ast.Call, Arguments], Known]:
    """`max` and `min` of numbers that are known."""

    def extreme(f: Interpreter, node: ast.Call, arguments: Arguments) -> Known:
        del f, node
        numbers = [datum.value for datum in arguments.placed if isinstance(datum.value, (int, float))]
        known = len(numbers) > 1 and len(numbers) == len(arguments.placed) and not arguments.named
        return kind(numbers) if known else Opaque()

    return extreme


PLAIN: dict[str, Callable[[Interpreter, ast.Call, Arguments], Datum | Known]] = {
    "os.environ.get": _environment, "os.getenv": _environment, "os.path.join": _joined, "pathlib.Path": _joined,
    "builtins.int": _cast(int), "builtins.float": _cast(float), "builtins.str": _cast(str), "builtins.bool": _cast(bool),
    "builtins.dict": _mapping, "builtins.vars": _mapping, "builtins.getattr": _attribute, "builtins.setattr": _set_attribute,
    "builtins.len": _length, "builtins.max": _extreme(max), "builtins.min": _extreme(min), "inspect.signature": _signature,
    "dataclasses.replace": _changed_copy, "copy.deepcopy": _changed_copy, "copy.copy": _changed_copy,
    "sys.exit": _exit, "os._exit": _exit, "builtins.exit": _exit, "builtins.quit": _exit,
}  # fmt: skip
"""Functions by their whole names."""
