"""Nothing grows beyond what one reads in one go."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.sources import generated, modules, shown, tree

LOGIC, TABLE, FUNCTION, DRIVER = 300, 600, 40, 100
TABLES = ("reasons", "table", "tables", "versions", "codes", "algorithms", "registry", "model", "gpus", "models")
"""Files that are read by looking something up, not from top to bottom; so are `rows_*.py` and families of rules."""
FOLDERS = ("rftconf", "runners", "scripts", "benches", "tests")


def is_table(path: Path) -> bool:
    return path.stem in TABLES or path.stem.startswith("rows_") or path.parent.name == "rules"


@pytest.mark.parametrize("folder", FOLDERS)
def test_files(folder: str) -> None:
    problems = []
    for path in modules(folder):
        lines = path.read_text(encoding="utf-8").count("\n")
        if lines > (TABLE if is_table(path) else LOGIC) and not generated(path):
            problems.append(f"{shown(path)} has {lines} lines")
    assert problems == []


def test_the_driver_is_read_like_the_algorithm_in_a_paper() -> None:
    (driver,) = (path for path in modules("runners") if path.name == "driver.py")
    assert driver.read_text(encoding="utf-8").count("\n") <= DRIVER


@pytest.mark.parametrize("folder", FOLDERS)
def test_functions(folder: str) -> None:
    problems = []
    for path in modules(folder):
        for node in ast.walk(tree(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = _body_lines(node)
                if lines > FUNCTION:
                    problems.append(f"{shown(path, node.lineno)} {node.name} has {lines} lines")
    assert problems == []


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of statements: options of a command and pages of documentation are read as tables."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_lines_of_sources_are_not_endless() -> None:
    problems = [
        shown(path, number)
        for folder in FOLDERS
        for path in modules(folder)
        if not generated(path)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 240
    ]
    assert problems == []


def test_no_names_that_say_nothing() -> None:
    """`utils`, `helpers`, `manager` and abbreviations hide what a thing is."""
    nothing = {"utils", "util", "misc", "cfg", "bsz"}
    of_files = nothing | {"helpers", "manager"}
    files = [shown(path) for folder in FOLDERS for path in modules(folder) if path.stem in of_files]
    names = [
        f"{shown(path, node.lineno)} {node.id}"
        for path in modules("rftconf")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Name) and node.id in nothing
    ]
    assert files + names == []
