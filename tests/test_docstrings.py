"""Docstrings are sentences: none opens with a word that leaves out the verb."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.sources import modules, shown, tree

FRAGMENTS = ("By", "From", "How", "Of", "Those", "What", "When", "Where", "Whether", "Which", "Why")
"""Words with which a docstring began that had no verb: "What a layer holds.", "Of the whole run."."""


def openings(folder: str) -> Iterator[tuple[str, str]]:
    """The first word of every docstring, with where it stands."""
    for path in modules(folder):
        for node in ast.walk(tree(path)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text:
                    yield text.split()[0].rstrip(",:"), shown(path, getattr(node, "lineno", 1))


@pytest.mark.parametrize("folder", ["rftconf", "runners"])
def test_no_docstring_is_a_fragment(folder: str) -> None:
    assert [where for word, where in openings(folder) if word in FRAGMENTS] == []
