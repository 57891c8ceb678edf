"""Lists and mappings that a Python text makes out of known ones, item by item; one undecided condition leaves the whole open."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from rftconf.text.python.assign import assign
from rftconf.text.python.conditions import truth
from rftconf.text.python.evaluate import evaluate
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Datum, Known, Opaque

_MOST = 500
"""Items that are gone through."""


class UndecidedError(Exception):
    """Nobody knows which items there are."""


def of_list(f: Interpreter, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Known:
    """Return `[f(x) for x in known]`."""
    try:
        items = [evaluate(f, node.elt) for _ in _rounds(f, node.generators)]
    except UndecidedError:
        return Opaque()
    return f.state.make("list", f.positions.place(node), {str(number): item for number, item in enumerate(items)})


def of_mapping(f: Interpreter, node: ast.DictComp) -> Known:
    """Return `{key: value for key, value in known.items()}`."""
    fields: dict[str, Datum] = {}
    try:
        for _ in _rounds(f, node.generators):
            key, value = evaluate(f, node.key), evaluate(f, node.value)
            if not isinstance(key.value, (str, int)):
                return Opaque()
            fields[str(key.value)] = Datum(value.value, value.place, value.via, key.place)
    except UndecidedError:
        return Opaque()
    return f.state.make("dict", f.positions.place(node), fields)


def _rounds(f: Interpreter, generators: list[ast.comprehension]) -> Iterator[None]:
    """Give the names of one generator each item that its conditions let through, in a scope of its own."""
    instance = f.state.instance(evaluate(f, generators[0].iter).value)
    if len(generators) > 1 or instance is None or instance.kind != "list" or instance.unread:
        raise UndecidedError
    if len(instance.fields) > _MOST:
        raise UndecidedError
    outer = f.state.frames
    for item in list(instance.fields.values()):
        f.state.frames = [*outer, {}]
        try:
            assign(f, generators[0].target, item)
            known = [truth(f, evaluate(f, test).value) for test in generators[0].ifs]
            if None in known:
                raise UndecidedError
            if all(known):
                yield
        finally:
            f.state.frames = outer
