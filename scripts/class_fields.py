"""Fields of classes, read from source text that is never imported."""

from __future__ import annotations

import ast
from collections.abc import Container


def annotated_fields(source: str, classes: Container[str]) -> list[str]:
    """The annotated names in the bodies of these classes, in the order of the text."""
    return [
        statement.target.id
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name in classes
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]
