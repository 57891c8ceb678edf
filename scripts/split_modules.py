"""Carry definitions out of a module into one of their own, and send those who import them there."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from moves import Split


def split_all(root: Path, splits: Iterable[Split], files: Sequence[Path]) -> None:
    """Make every split of a table; `files` are all Python files that may import what leaves."""
    for split in splits:
        source, target = (root / f"{name.replace('.', '/')}.py" for name in (split.source, split.target))
        stays, leaves = carve(source.read_text(encoding="utf-8"), split)
        source.write_text(stays, encoding="utf-8")
        target.write_text(leaves, encoding="utf-8")
        for path in {*files, source} - {target}:
            text = path.read_text(encoding="utf-8")
            if split.source in text or path == source:
                path.write_text(redirect(text, split), encoding="utf-8")


def carve(source: str, split: Split) -> tuple[str, str]:
    """The module without the definitions, and the new one; both still with imports that only the other needs."""
    module = ast.parse(source)
    lines = source.splitlines(keepends=True)
    spans: list[tuple[int, int]] = []
    header: list[str] = []
    for index, node in enumerate(module.body):
        if _bound(node) & set(split.names):
            after = module.body[index + 1] if index + 1 < len(module.body) else None
            spans.append((_first_line(node, lines), _last_line(node, after)))
        elif isinstance(node, (ast.Import, ast.ImportFrom)) or _is_type_checking(node):
            header += lines[node.lineno - 1 : node.end_lineno]
    missing = set(split.names) - {name for node in module.body for name in _bound(node)}
    if missing:
        raise ValueError(f"{split.source} does not define {', '.join(sorted(missing))}")
    moved = "\n\n".join("".join(lines[start:end]) for start, end in spans)
    used = {node.id for node in ast.walk(ast.parse(moved)) if isinstance(node, ast.Name)}
    remaining = {name for node in module.body if not _is_import(node) for name in _bound(node)} - set(split.names)
    if used & remaining:
        sys.exit(f"{split.source}: what leaves uses what stays: {', '.join(sorted(used & remaining))}")
    removed_lines = {number for start, end in spans for number in range(start, end)}
    stays = "".join(line for number, line in enumerate(lines) if number not in removed_lines)
    # Where the module goes on using what left, it imports it; an import too many is ruff's to take away.
    names = [f"{name} as {name}" for name in split.names] if split.still_there else split.names
    own = f"from {split.target} import {', '.join(names)}\n"
    return _after_imports(stays, own), f'"""{split.says}"""\n\n{"".join(header)}\n\n{moved}'


def redirect(source: str, split: Split) -> str:
    """Imports of what left, from where it is now."""
    lines = source.splitlines(keepends=True)
    for node in sorted(ast.walk(ast.parse(source)), key=lambda root: -getattr(root, "lineno", 0)):
        if isinstance(node, ast.ImportFrom) and node.module == split.source:
            moved = [alias for alias in node.names if alias.name in split.names]
            staying = [alias for alias in node.names if alias.name not in split.names]
            if moved:
                # what stands behind the statement, such as a mark for ruff, holds for both
                indent, behind = " " * node.col_offset, lines[(node.end_lineno or 0) - 1][node.end_col_offset :]
                lines[node.lineno - 1 : node.end_lineno] = [
                    f"{indent}from {module} import {', '.join(map(ast.unparse, names))}{behind}"
                    for module, names in ((split.target, moved), (split.source, staying))
                    if names
                ]
    return "".join(lines)


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


def _is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _first_line(node: ast.stmt, lines: Sequence[str]) -> int:
    decorators = getattr(node, "decorator_list", [])
    first: int = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return first


def _last_line(node: ast.stmt, after: ast.stmt | None) -> int:
    """A sentence below an assignment belongs to it."""
    says = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
    last: ast.stmt = node
    if after is not None and says and not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        last = after
    line = last.end_lineno
    assert line is not None
    return line


def _after_imports(source: str, statement: str) -> str:
    lines = source.splitlines(keepends=True)
    last = max(node.end_lineno or 0 for node in ast.parse(source).body if _is_import(node))
    return "".join([*lines[:last], statement, *lines[last:]])
