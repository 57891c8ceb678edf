"""No pattern that is searched for in a text takes time with the square of the text's length."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.sources import ROOT

SEARCHING = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
"""Uses that try a pattern at every place of a text; `match` and `fullmatch` try it at one."""
UNITS = (
    "\n", " ", "\t", "\r\n", " \n", "x\n", "a\n ", "=\n", "\\\n", "\\", "a", "A", "0", "_", "-", ".", "a.", "a b", "'", '"', "''", '""', "$",
    "${", "$(", "(", ")", "[", "]", "{", "}", "=", "a=", "a=1 ", ":", "a: ", "a:", "#", "# ", "%", "%a", "/", "a/", "@", "*", ",", "1,", "<", ">",
    "+", "--a ", "e1", "1e", "$a", "~", "&", "|", ";", "!", "aB3", "http://", "password=", "<a>", "\x1b[",
)  # fmt: skip
SHORT, LONG = 2_500, 10_000
BOUNDED = {
    "rftconf.text.shell.state.self_contained_condition._ARITHMETIC": "it is looked for up to the last `))`",
    "rftconf.lsp.cursor._OVERRIDE": "a line is looked at up to 2,000 characters",
}
"""Patterns that see no text in which they would be slow, and why."""


def searched() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every compiled pattern of a module that the module searches a text for."""
    for path in sorted((ROOT / "rftconf").rglob("*.py")):
        if path.name == "__main__.py":
            continue
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        used = set(_searches(path))
        values = vars(import_module(name)) if used else {}
        for word in sorted(used):
            pattern = values.get(word)
            if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                yield f"{name}.{word}", pattern


def _searches(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in SEARCHING and isinstance(node.value, ast.Name):
            yield node.value.id


def seconds(pattern: re.Pattern[str], text: str) -> float:
    began = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - began


def is_quadratic(pattern: re.Pattern[str], unit: str) -> bool:
    def cost(length: int) -> float:
        return min(seconds(pattern, unit * (length // len(unit))) for _ in range(2))

    longer = seconds(pattern, unit * (LONG // len(unit)))
    return longer > 0.03 and cost(LONG) > 9 * cost(SHORT)


PATTERNS = dict(searched())


def test_patterns_are_there() -> None:
    assert len(PATTERNS) > 60
    assert set(BOUNDED) <= set(PATTERNS)
    assert is_quadratic(re.compile(r"\s*x"), "\n")
    assert not is_quadratic(re.compile(r"\w+"), "a")


@pytest.mark.parametrize("name", [name for name in PATTERNS if name not in BOUNDED])
def test_a_pattern_is_linear(name: str) -> None:
    assert [unit for unit in UNITS if is_quadratic(PATTERNS[name], unit)] == []
