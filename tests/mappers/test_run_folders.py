"""The folder of a run under one key, and the root above project and experiment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, Var, text
from rftconf.mappers.run_folders import EXPERIMENT, PROJECT, ROOT, RunFolder, above, joined
from rftconf.mappers.shapes import Pair, together
from rftconf.mappers.writing import Writing
from tests.mappers.test_precedence import reading
from tests.mappers.test_shapes import KEY, table

HOME = Var("HOME")
FOLDER = RunFolder(
    KEY,
    lambda project, name: (joined("/", project, "/", name),),
    lambda w: (w.plan(PROJECT), w.plan(EXPERIMENT)),
    default=("checkpoints", "the default", "nothing is written"),
    empty=".",
)


@pytest.mark.parametrize(
    ("folder", "tail", "root"),
    [
        ("/out/math/first", "/math/first", "/out"),
        ("/out/math/first/", "/math/first", "/out"),
        ("/out/other", "/math/first", None),
        (text(HOME, "/math/first"), "/math/first", HOME),
        (text("/out/", HOME), text("/", HOME), "/out"),
        (text("/out/", Var("USER")), text("/", HOME), None),
    ],
)
def test_a_folder_above_its_known_end(folder: Any, tail: str | Expr, root: Any) -> None:
    assert above(folder, tail) == root


@pytest.mark.parametrize(
    ("keys", "root", "how"),
    [
        ({KEY: "/out/math/first"}, "/out", ""),
        ({KEY: "/elsewhere"}, "/elsewhere", ""),
        ({KEY: ""}, ".", "an empty folder is the working directory"),
    ],
)
def test_the_root_is_read_off_the_folder(keys: dict[str, Any], root: str, how: str) -> None:
    names = (Pair("project", PROJECT), Pair("name", EXPERIMENT))
    result = reading(together(*names, FOLDER, why="a folder"), project="math", name="first", **keys)
    assert (result.values[ROOT], result.origins[ROOT].how) == (root, how)


def written(root: str, *, same_framework: bool = False) -> Writing:
    values = {ROOT: root, PROJECT: "math", EXPERIMENT: "first"}
    writing = replace(Writing(table(FOLDER), "roll", "0.3.0", "rlvr", values, {}), same_framework=same_framework)
    writing.write_all()
    return writing


def test_the_runs_names_are_written_below_the_root() -> None:
    assert written("/out").out[KEY].value == "/out/math/first"
    assert written("/out", same_framework=True).out[KEY].value == "/out"


@pytest.mark.parametrize("root", ["checkpoints", "./checkpoints", ""])
def test_the_default_is_not_written(root: str) -> None:
    default = written(root)
    assert (default.out, default.outcomes[ROOT].state, default.outcomes[ROOT].note) == (
        {},
        State.DEFAULT,
        "nothing is written",
    )
