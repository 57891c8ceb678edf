"""Every sentence with which rftconf refuses a run, collected from its sources: so that none is forgotten by the proofs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rftconf.mappers.tables import all_tables, table_of
from rftconf.schemas import registry
from tests.sources import PACKAGE, modules, tree

RAISED = ("RefusedError", "Dialect")
"""What is raised, and what `refuse_dialects` raises for a table."""
HOLE = "…"
"""Stands for whatever the sentence names: numbers, keys, frameworks."""
ELSEWHERE = {"errors.py"}
"""Where the exception is declared."""


def literal(node: ast.expr) -> str:
    """The text of a string expression, with a hole for what is only known at run time."""
    match node:
        case ast.Constant(str() as text):
            return text
        case ast.JoinedStr(parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in parts)
        case ast.BinOp(left, ast.Add(), right):
            return literal(left) + literal(right)
    return HOLE


def texts(node: ast.expr, inside: ast.AST, module: ast.Module) -> Iterator[str]:
    """The sentences that an argument can be: itself, what a local name was given, what a function of the module returns,
    the first of each tuple in a module's dictionary."""
    match node:
        case ast.Name(name):
            expressions = [n.value for n in ast.walk(inside) if isinstance(n, ast.Assign) and _names(n) == [name]]
            text_groups = (texts(v, inside, module) if isinstance(v, ast.Call) else (literal(v),) for v in expressions)
            yield from (text for entry in text_groups for text in entry if text not in ("", HOLE))
        case ast.Call(ast.Name(name)):
            functions = [n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == name]
            returned = (n.value for f in functions for n in ast.walk(f) if isinstance(n, ast.Return) and n.value)
            yield from map(literal, returned)
        case ast.Starred():
            tables = [n.value for n in module.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Dict)]
            yield from (literal(v.elts[0]) for t in tables for v in t.values if isinstance(v, ast.Tuple))
        case _:
            yield literal(node)


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def raised() -> Iterator[tuple[str, str]]:
    """File and sentence of every refusal in the package; one that only passes another on (`found.why`, `facts["unsettled"]`) is
    left out."""
    for path in modules("rftconf"):
        if path.name in ELSEWHERE:
            continue
        module = tree(path)
        for text in _of_shapes(module):
            yield str(path.relative_to(PACKAGE)), re.sub(f"{HOLE}+", HOLE, text)
        for function in (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)):
            for node in ast.walk(function):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED):
                    continue
                argument = (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "why"))[0]
                if isinstance(argument, (ast.Attribute, ast.Subscript)):
                    continue
                for text in texts(argument, function, module):
                    yield str(path.relative_to(PACKAGE)), re.sub(f"{HOLE}+", HOLE, text)


def _of_shapes(module: ast.Module) -> Iterator[str]:
    """The sentences of the shape `Refused`, each a text or a function that words it."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused":
            why = node.args[1]
            if isinstance(why, ast.Name):
                yield from _worded(why.id, module)
            else:
                yield literal(why.body if isinstance(why, ast.Lambda) else why)


def _worded(function: str, module: ast.Module) -> Iterator[str]:
    """The sentences that a function of the module returns; it returns an empty one where there is nothing to refuse."""
    for node in module.body:
        for part in ast.walk(node) if isinstance(node, ast.FunctionDef) and node.name == function else ():
            if isinstance(part, ast.Return) and part.value is not None:
                value = part.value
                arms = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
                yield from (text for text in map(literal, arms) if text)


def declared() -> Iterator[tuple[str, str]]:
    """Sentences that tables and the registry hold, and the refusals above only quote."""
    for framework in registry.FRAMEWORKS.values():
        for sentence in dict.fromkeys(framework.lacks.values()):
            yield f"lacks of {framework.name}", sentence
        if framework.stepless:
            yield f"stepless of {framework.name}", framework.stepless
        for sentence in dict.fromkeys(framework.unread_sections.values()):
            yield f"unread sections of {framework.name}", sentence
    for name, kind in all_tables():
        if table_of(name, kind).stays:
            yield f"stays of {name}", str(table_of(name, kind).stays)


def sentences() -> list[tuple[str, str]]:
    """All of them, in order."""
    return sorted({*raised(), *declared()})
