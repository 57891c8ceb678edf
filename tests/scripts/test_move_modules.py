"""Moving modules: every way in which code and texts name a module is rewritten, and nothing else."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.sources import ROOT, modules

TABLE = ROOT / "docs" / "adr" / "0014-moves.toml"


@pytest.fixture(autouse=True)
def scripts_import_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])


@pytest.fixture
def names() -> Any:
    moves = importlib.import_module("moves").Moves(
        modules={"rftconf.load": "rftconf.load.load", "rftconf.silence": "rftconf.load.release_defaults"},
        folders={"rftconf.guide": "rftconf.recipes"},
    )
    modules = ["rftconf", "rftconf.load", "rftconf.silence", "rftconf.guide", "rftconf.guide.draft", "rftconf.errors"]
    return importlib.import_module("rewrite_names").Names(moves, modules)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from rftconf.load import load\n", "from rftconf.load.load import load\n"),
        ("import rftconf.load\n", "import rftconf.load.load\n"),
        ("from rftconf import silence\n", "from rftconf.load import release_defaults as silence\n"),
        ("from rftconf import load as l\n", "from rftconf.load import load as l\n"),
        (
            "def f():\n    from rftconf import load, errors\n",
            "def f():\n    from rftconf.load import load\n    from rftconf import errors\n",
        ),
        ("from rftconf.guide.draft import x\n", "from rftconf.recipes.draft import x\n"),
        ("from rftconf.guide import draft\n", "from rftconf.recipes import draft\n"),
        ('import_module("rftconf.silence")\n', 'import_module("rftconf.load.release_defaults")\n'),
        ('patch("rftconf.load.read_stage")\n', 'patch("rftconf.load.load.read_stage")\n'),
        ('KNOWS = "rftconf/load.py"\n', 'KNOWS = "rftconf/load/load.py"\n'),
        ("from rftconf.errors import UsageError\n", "from rftconf.errors import UsageError\n"),
        ('NAME = "rftconf.toml"\nload = "load.py"\n', 'NAME = "rftconf.toml"\nload = "load.py"\n'),
        ("ü = 1; from rftconf import silence\n", "ü = 1; from rftconf.load import release_defaults as silence\n"),
    ],
)
def test_code(names: Any, old: str, new: str) -> None:
    assert importlib.import_module("rewrite_names").rewrite_python(old, names) == new


def test_texts_name_files_folders_and_dotted_names(names: Any) -> None:
    rewriting = importlib.import_module("rewrite_names")
    text = "`rftconf/guide/` begins, `guide/draft.py` sizes, `rftconf/guide/parts/`, rftconf.load.load reads; https://x/rftconf/load.py stays"
    assert rewriting.rewrite_text(text, names) == (
        "`rftconf/recipes/` begins, `recipes/draft.py` sizes, `rftconf/recipes/parts/`, rftconf.load.load.load reads; https://x/rftconf/load.py stays"
    )
    assert rewriting.rewrite_file_names("`silence.py`, `table.py`", names) == "`release_defaults.py`, `table.py`"


SOURCE = '''"""Before."""

from __future__ import annotations

from os import path

# why
LIMIT = 3
"""How many."""


@decorated
class Kept:
    """Stays."""

    most: int = LIMIT


def leaves(name: str) -> str:
    return path.basename(name)
'''


def test_a_definition_leaves_with_its_comment_its_sentence_and_the_imports_it_needs() -> None:
    split = importlib.import_module("moves").Split("rftconf.a", "rftconf.b", ("LIMIT",), "Limits.")
    stays, leaves = importlib.import_module("split_modules").carve(SOURCE, split)
    assert leaves.startswith('"""Limits."""\n')
    assert leaves.endswith('# why\nLIMIT = 3\n"""How many."""\n')
    assert "How many" not in stays
    assert "from rftconf.b import LIMIT\n" in stays
    compile(stays, "stays", "exec")


def test_what_leaves_must_not_use_what_stays() -> None:
    split = importlib.import_module("moves").Split("rftconf.a", "rftconf.b", ("Kept",), "Kept.")
    with pytest.raises(SystemExit, match="LIMIT"):
        importlib.import_module("split_modules").carve(SOURCE, split)


def test_those_who_import_it_are_sent_there() -> None:
    split = importlib.import_module("moves").Split("rftconf.a", "rftconf.b", ("LIMIT",), "Limits.")
    redirected = importlib.import_module("split_modules").redirect(
        "from rftconf.a import LIMIT, Kept  # noqa: E402\n", split
    )
    assert redirected == ("from rftconf.b import LIMIT  # noqa: E402\nfrom rftconf.a import Kept  # noqa: E402\n")


def test_no_module_lands_on_one_that_stays() -> None:
    """Before the moves; once they are made, every module is where the table says."""
    moves = importlib.import_module("moves").read_moves(TABLE)
    target = {path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in modules("rftconf")}
    if "rftconf.errors" in target:
        assert sorted(set(moves.modules) - target) == []
        assert sorted(set(moves.modules.values()) & (target - set(moves.modules))) == []
    else:
        assert sorted(set(moves.modules.values()) - target) == []


def test_two_modules_for_one_name_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "moves.toml"
    table.write_text('[modules.x]\na = "old"\n[modules.y]\nb = "old"\n')
    with pytest.raises(ValueError, match="2 lines move 1 modules"):
        importlib.import_module("moves").read_moves(table)
