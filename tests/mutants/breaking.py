"""Ways to break a mapping: units swapped, factors dropped, defaults flipped, conditions removed, words exchanged."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rftconf.plan.units import Unit

ROOT = Path(__file__).resolve().parents[2]
MAPPERS = ROOT / "rftconf" / "mappers"
NOT_MAPPINGS = {"paths.py", "provenance.py", "traced.py", "files.py", "words_of_keys.py", "native.py"}
"""Modules of mappers/ that hold no statement about a framework."""
DEFAULTS = ("absent", "default", "behaves")
UNITS = [unit.name for unit in Unit]
FIELDS = json.loads((ROOT / "rftconf" / "plan" / "index.json").read_text(encoding="utf-8"))
"""Plan field to its role, its unit and its type."""
Broken = tuple[str, ast.AST]
Route = tuple[tuple[str, int | None], ...]
"""The way from a module to one of its nodes: names of fields, and places in lists."""


@dataclass(frozen=True, slots=True)
class Break:
    """One module with one thing broken: `kind` of the break, the line, and the text before and after."""

    file: Path
    line: int
    kind: str
    before: str
    after: str
    route: Route
    broken: ast.AST

    def source(self) -> str:
        """The module's text, broken."""
        tree = ast.parse(self.file.read_text(encoding="utf-8"))
        put(tree, self.route, ast.copy_location(self.broken, at(tree, self.route)))
        return ast.unparse(ast.fix_missing_locations(tree))

    def __str__(self) -> str:
        """`rftconf/mappers/verl/rows_run.py:12 unit: counts(Unit.PROMPTS) -> counts(Unit.UPDATES)`."""
        return f"{self.file.relative_to(ROOT)}:{self.line} {self.kind}: {self.before} -> {self.after}"


def unit(node: ast.AST) -> Iterator[Broken]:
    """Another unit of the list."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Unit":
        second = UNITS[(UNITS.index(node.attr) + 1) % len(UNITS)] if node.attr in UNITS else node.attr
        if second != node.attr:
            yield "unit", ast.Attribute(node.value, second, node.ctx)


def condition(node: ast.AST) -> Iterator[Broken]:
    """A row that always acts."""
    if isinstance(node, ast.Call):
        for index, keyword in enumerate(node.keywords):
            if keyword.arg == "when":
                remainder = [*node.keywords[:index], *node.keywords[index + 1 :]]
                yield "condition", ast.Call(node.func, node.args, remainder)


def default(node: ast.AST) -> Iterator[Broken]:
    """A declared default or behaviour with another value: a switch the other way, a number that is another one."""
    if isinstance(node, ast.Call):
        for index, keyword in enumerate(node.keywords):
            if keyword.arg in DEFAULTS and isinstance(keyword.value, ast.Constant):
                value = keyword.value.value
                second = ast.Constant(set_instead(node) if value is None else another(value))
                keywords = replaced(node.keywords, index, ast.keyword(keyword.arg, second))
                yield "default", ast.Call(node.func, node.args, keywords)
        if isinstance(node.func, ast.Name) and node.func.id == "fixed" and isinstance(node.args[1], ast.Constant):
            other_value = ast.Constant(another(node.args[1].value))
            yield "default", ast.Call(node.func, replaced(node.args, 1, other_value), node.keywords)


VALUES = {"bool": True, "int": 7, "float": 0.5}


def set_instead(call: ast.Call) -> Any:
    """A value in place of none, of the type of the plan field that the row names: no other could be read."""
    named = [ast.unparse(part.body).partition(".")[2] for part in call.args if isinstance(part, ast.Lambda)]
    path = named[-1] if named else ""
    types = [kind for field, (_, _, kind) in FIELDS.items() if path and f".{field}".endswith(f".{path}")]
    return (
        next((VALUES[kind] for kind in re.findall("[a-z]+", types[0]) if kind in VALUES), "another")
        if types
        else "another"
    )


def another(value: Any) -> Any:
    """Another value of the same type, or a word for none."""
    if isinstance(value, bool):
        return not value
    return value * 2 + 1 if isinstance(value, (int, float)) else "another"


def replaced(items: list[Any], index: int, item: Any) -> list[Any]:
    """The list with one item exchanged."""
    return [*items[:index], item, *items[index + 1 :]]


def factor(node: ast.AST) -> Iterator[Broken]:
    """A product or quotient without its second part."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div, ast.FloorDiv)):
        yield "factor", node.left


def word(node: ast.AST) -> Iterator[Broken]:
    """A table of words that answers with its neighbour's word."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "words" and node.args:
        table = node.args[0]
        if isinstance(table, ast.Dict) and len(table.values) > 1:
            moved = ast.Dict(table.keys, [*table.values[1:], table.values[0]])
            if ast.dump(moved) != ast.dump(table):  # words that all mean the same stay as they are
                yield "word", ast.Call(node.func, [moved, *node.args[1:]], node.keywords)


WAYS = (unit, condition, default, factor, word)


def breaks(file: Path) -> Iterator[Break]:
    """Every break of one module. Annotations, messages and the module's own checks are left alone."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for route in routes(tree, ()):
        for kind, broken in (values for way in WAYS for values in way(at(tree, route))):
            line = getattr(at(tree, route), "lineno", 1)
            before, after = (one_line(node) for node in (at(tree, route), broken))
            yield Break(file, line, kind, before, after, route, broken)


def all_breaks() -> list[Break]:
    """Every break of every module of mappers/, in the order of files."""
    files = [file for file in sorted(MAPPERS.rglob("*.py")) if file.name not in NOT_MAPPINGS]
    return [mutation for file in files for mutation in breaks(file)]


LEFT_ALONE = (ast.AnnAssign, ast.Assert, ast.Raise, ast.JoinedStr, ast.Subscript, ast.Import, ast.ImportFrom)


def routes(node: ast.AST, so_far: Route) -> Iterator[Route]:
    """The way to every node that may be broken."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not isinstance(child, LEFT_ALONE):
                place = (*so_far, (name, index))
                yield place
                yield from routes(child, place)


def at(node: ast.AST, route: Route) -> ast.AST:
    """The node at the end of a way."""
    for name, index in route:
        value = getattr(node, name)
        node = value if index is None else value[index]
    return node


def put(tree: ast.AST, route: Route, new: ast.AST) -> None:
    """Another node at the end of a way."""
    name, index = route[-1]
    parent = at(tree, route[:-1])
    if index is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[index] = new


def one_line(node: ast.AST) -> str:
    """A node's text, shortened."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 70 else text[:67] + "..."
