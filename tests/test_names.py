"""Names say what a thing is: no local, parameter or function is called by a participle or a filler.

Each folder of FREE holds none of the words that are listed for it. A word that is a term somewhere (`left` beside
`right`, `other` of an operator) is not listed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import generated, modules, shown, tree

PARTICIPLES = ("found", "told", "said", "asked", "wanted", "placed", "seen", "given", "held", "kept", "gone", "made")
FILLERS = (
    "one",
    "at",
    "beyond",
    "elsewhere",
    "silence",
    "misfits",
    "thing",
    "apart",
    "shown",
    "meant",
    "here",
    "there",
)
VAGUE = frozenset({*PARTICIPLES, *FILLERS})
FREE = ("rftconf", "runners", "scripts", "benches", "tests")


def named(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that a node binds as a variable, a parameter or a part of a pattern, with their line."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id, node.lineno
    elif isinstance(node, ast.arg):
        yield node.arg, node.lineno
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name is not None:
        yield node.name, node.lineno


def fields_of(path: Path) -> set[tuple[str, int]]:
    """Fields of records: their names stand in outputs and in calls, and are chosen with them."""
    classes = (node for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef))
    targets = (statement.target for node in classes for statement in node.body if isinstance(statement, ast.AnnAssign))
    return {(target.id, target.lineno) for target in targets if isinstance(target, ast.Name)}


@pytest.mark.parametrize("folder", FREE)
def test_no_variable_is_called_by_a_participle_or_a_filler(folder: str) -> None:
    vague = [
        f"{shown(path, line)} {name}"
        for path in modules(folder)
        if not generated(path)
        for node in ast.walk(tree(path))
        for name, line in named(node)
        if name in VAGUE and (name, line) not in fields_of(path)
    ]
    assert vague == []


PARTS = frozenset({"told", "said", "untold", "unsaid", "elsewhere", "beyond", "misfits", "silence"})
"""Words that no part of a function's, a class's or a module's name is either."""


@pytest.mark.parametrize("folder", ["rftconf", "runners", "scripts", "benches"])
def test_no_part_of_a_name_leaves_open_what_the_thing_is(folder: str) -> None:
    names = [(path.stem, shown(path)) for path in modules(folder)]
    names += [
        (node.name, f"{shown(path, node.lineno)} {node.name}")
        for path in modules(folder)
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    ]
    assert [
        where for name, where in names if not PARTS.isdisjoint(map(str.lower, re.split(r"_|(?<=[a-z])(?=[A-Z])", name)))
    ] == []


def test_modules_of_tests_are_named_by_what_they_test() -> None:
    vague = {*PARTS, "found", "rest", "misc", "further", "more"}
    names = [shown(path) for path in modules("tests") if not vague.isdisjoint(path.stem.split("_"))]
    assert names == []


@pytest.mark.parametrize("folder", ["rftconf", "runners"])
def test_no_module_class_or_function_is_called_by_one_either(folder: str) -> None:
    vague = [
        f"{shown(path, node.lineno)} {node.name}"
        for path in modules(folder)
        for node in tree(path).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name.lstrip("_").lower() in VAGUE
    ]
    vague += [shown(path) for path in modules(folder) if path.stem.lstrip("_") in VAGUE]
    assert vague == []
