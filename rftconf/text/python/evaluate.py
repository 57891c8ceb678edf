"""Values of expressions, each by the form it has. What the text does not tell stays open; nothing is evaluated by Python."""

from __future__ import annotations

import ast

from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Datum, Opaque


def evaluate(f: Interpreter, node: ast.expr) -> Datum:
    """Return the value of an expression where it stands."""
    f.state.spend()
    make = f.forms.get(type(node))
    value = Opaque() if make is None else make(f, node)
    if isinstance(value, Datum):
        return Datum(value.value, f.positions.place(node), value.via)
    return Datum(value, f.positions.place(node))
