"""The config that a program of Hydra's names in its own code, read from the syntax tree; the program is never run."""

from __future__ import annotations

import ast
from pathlib import PurePosixPath

from rftconf.base.record import record
from rftconf.text.python.parse import PythonError, parse

_FOLDER, _NAME = 0, 1
"""Positions of `config_path` and `config_name` among the arguments (hydra/main.py: main)."""


@record
class HydraMain:
    """The words of `@hydra.main(...)`: the folder of the configs as seen from the program's own, and the config's name.

    The name is empty where the program takes it from the command line.
    """

    folder: str
    name: str


def hydra_main(text: str) -> HydraMain | None:
    """The first `@hydra.main(...)` of a program; None where there is none, or where its folder is no plain text.

    A program that names no folder has no config of its own; `pkg://` is a package that may lie anywhere.
    """
    if "hydra" not in text:
        return None
    try:
        tree = parse(text)
    except PythonError:
        return None
    functions = (node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    decorators = (decorator for node in functions for decorator in node.decorator_list)
    call = next((node for node in decorators if isinstance(node, ast.Call) and _is_hydras(node.func)), None)
    folder = None if call is None else _argument(call, _FOLDER, "config_path")
    if call is None or folder is None or "://" in folder:
        return None
    return HydraMain(str(PurePosixPath(folder)), (_argument(call, _NAME, "config_name") or "").removesuffix(".yaml"))


def _is_hydras(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "main" and _is_named(function.value, "hydra")


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _argument(call: ast.Call, position: int, name: str) -> str | None:
    """The text that an argument of the call is; None where it is left out or is no text that stands there."""
    values = [keyword.value for keyword in call.keywords if keyword.arg == name] or call.args[position : position + 1]
    value = values[0].value if values and isinstance(values[0], ast.Constant) else None
    return value if isinstance(value, str) else None
