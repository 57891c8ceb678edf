"""Values of a config as Python literals. Text becomes a quoted literal and nothing else, whatever it holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rftconf.base.symbols import Expr, Text, Var, formula, to_interpolation, to_shell
from rftconf.mappers.adapting import Missing

WIDTH = 100


def literal(value: Any, *, environment: bool = False) -> str:
    """Python source of a value. What the config leaves open becomes `Required(...)`.

    With `environment`, text around variables becomes `FromEnvironment(...)`, which reads them when the run starts.
    """
    match value:
        case Missing():
            return f"Required({_quoted(value)})"
        case Expr() if environment and _of_environment(value):
            return f"FromEnvironment({_quoted(to_shell(value))})"
        case Expr():
            return f"Required({_quoted(formula(value))})"
        case bool() | int() | None:
            return repr(value)
        case float():
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        case str():
            return _quoted(value)
        case Mapping():
            inner = [f"{literal(k)}: {literal(v, environment=environment)}" for k, v in value.items()]
            return _wrapped("{", inner, "}")
        case tuple():
            inner = [literal(item, environment=environment) for item in value]
            return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
        case list():
            return _wrapped("[", [literal(item, environment=environment) for item in value], "]")
    raise TypeError(f"no literal for {type(value).__name__}")


def call(name: str, arguments: Mapping[str, Any]) -> str:
    """`Name(argument=literal, ...)`, one argument a line."""
    lines = [f"{key}={literal(value)}" for key, value in arguments.items()]
    return f"{name}(\n" + "".join(f"    {indented(line)},\n" for line in lines) + ")"


def indented(text: str) -> str:
    """Every line but the first, four columns in."""
    return text.replace("\n", "\n    ")


def _wrapped(left: str, items: list[str], right: str) -> str:
    flat = left + ", ".join(items) + right
    if len(flat) <= WIDTH and "\n" not in flat:
        return flat
    return left + "\n" + "".join(f"    {indented(item)},\n" for item in items) + right


def _quoted(text: str) -> str:
    """`repr`, in double quotes where that changes nothing else."""
    quoted = repr(str(text))
    return f'"{quoted[1:-1]}"' if quoted[0] == "'" and not set(quoted) & {"\\", '"'} else quoted


def _of_environment(value: Expr) -> bool:
    """True for text around plain variables, in which a dollar sign is never the user's own."""
    parts = value.parts if isinstance(value, Text) else (value,)
    plain = all(isinstance(part, Var) or (isinstance(part, str) and "$" not in part) for part in parts)
    return plain and to_interpolation(value) is not None
