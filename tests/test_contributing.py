"""CONTRIBUTING.md is true today: its commands, its files and the code that it shows."""

from __future__ import annotations

import ast
import re
import shlex

import pytest

from rftconf.cli.verb_names import VERBS
from rftconf.dialects.declaration import FOLDER
from tests.sources import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WALKS = ("a key", "a rule", "a release", "a framework", "a dialect", "a GPU")


def code(language: str) -> list[str]:
    """The fenced blocks of a language, those within lists too, without what they are indented by."""
    values = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", TEXT, re.DOTALL | re.MULTILINE)
    return [re.sub(rf"^{indent}", "", block, flags=re.MULTILINE) for indent, block in values]


def inline() -> list[str]:
    """What stands in backticks outside of blocks; a line's end within it is a blank."""
    prose = re.sub(r"^ *```.*?^ *```$", "", TEXT, flags=re.DOTALL | re.MULTILINE)
    return [" ".join(words.split()) for words in re.findall(r"`([^`]+)`", prose)]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_every_walk_is_there() -> None:
    assert [name for name in WALKS if f"## Add {name}\n" not in TEXT] == []


def test_commands_of_its_first_block_exist() -> None:
    (block,) = code("console")
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert {words[1] for words in commands if words[0] == "make"} <= targets()
    assert [words[0] for words in commands if words[0] != "make"] == [".ci/run"]


@pytest.mark.parametrize("command", [words for words in inline() if words.startswith("python ")])
def test_files_of_python_commands_exist(command: str) -> None:
    words = command.split()
    paths = [word for word in words[1:] if "/" in word]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert words[1:3] == ["-m", "pytest"] or words[1] in paths


@pytest.mark.parametrize("command", [words for words in inline() if words.startswith("rftconf ")])
def test_verbs_exist(command: str) -> None:
    assert command.split()[1] in VERBS


def test_paths_with_a_place_for_a_name_have_files_for_some_name() -> None:
    named = [words for words in inline() if "/" in words and " " not in words and re.search(r"\.\w+$|/$", words)]
    empty = [words for words in named if not list(ROOT.glob(re.sub(r"<\w+>", "*", words).rstrip("/")))]
    assert len(named) > 20
    assert empty == []


@pytest.mark.parametrize("block", code("python"))
def test_code_that_is_shown_parses_and_uses_what_its_file_has(block: str) -> None:
    """A block begins with its file; each name that it calls or decorates with is bound there."""
    file = ROOT / block.splitlines()[0].removeprefix("# ")
    bound = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            bound |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    called = {
        node.func.id
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id != "isinstance"
    }
    assert called
    assert called - bound == set()


def test_the_row_that_is_shown_is_the_row() -> None:
    row = code("python")[0].splitlines()[1]
    assert row in (ROOT / "rftconf/mappers/verl/rows_run.py").read_text(encoding="utf-8")


def test_the_fork_that_is_shown_is_the_fork() -> None:
    (block,) = code("toml")
    name, *lines = block.splitlines()
    declared = (FOLDER / name.rpartition("/")[2]).read_text(encoding="utf-8")
    assert [line for line in lines if line not in declared] == []
