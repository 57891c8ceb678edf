"""A docstring is a sentence that is understood without the code: it does not begin in the middle of one."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.sources import modules, shown, tree

MIDDLE = ("By", "From", "Of", "Those")
"""Words with which a docstring began whose beginning was to be guessed from the name: "Of the whole run."."""
MOST = {"What": 449, "How": 104, "Where": 54}
"""Openings of fragments that are left, each with how many docstrings had it when they were counted; no more may come."""


def openings(folder: str) -> Iterator[tuple[str, str]]:
    """The first word of every docstring, with where it stands."""
    for path in modules(folder):
        for node in ast.walk(tree(path)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text:
                    yield text.split()[0].rstrip(",:"), shown(path, getattr(node, "lineno", 1))


@pytest.mark.parametrize("folder", ["rftconf", "runners"])
def test_no_docstring_begins_in_the_middle_of_a_sentence(folder: str) -> None:
    assert [where for word, where in openings(folder) if word in MIDDLE] == []


def test_fragments_become_fewer() -> None:
    count = Counter(word for folder in ("rftconf", "runners") for word, _ in openings(folder))
    assert {word: count[word] for word, most in MOST.items() if count[word] > most} == {}
