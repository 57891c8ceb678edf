"""Putting generated files together."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rftconf.base.symbols import ShellOnly, Text, Value, Var
from rftconf.convert.adapters.scripts import MARK, title, untouched
from rftconf.convert.adapters.shapes import DATA_FILE, SHAPES
from rftconf.schemas.registry import FRAMEWORKS
from tests.convert.adapters.samples import PAIRS, adapters, run_of

HOSTILE = st.sampled_from(
    ['"""\nimport os; os.system("x")\n"""', "'); raise SystemExit(1) #", "\\", "\\\n", "{x}", "${HOME}", "\r\nX = 1", "\u2028X = 1"]
) | st.text()  # fmt: skip
VALUES = HOSTILE | HOSTILE.map(lambda text: Text((Var("X"), text or "/"))) | HOSTILE.map(ShellOnly)


def skeleton(text: str) -> tuple[list[str], set[str]]:
    """The kinds of the statements, and every name that the code reads, apart from what stands for open values."""
    tree = ast.parse(text)
    kinds = [type(node).__name__ + getattr(node, "name", "") for node in tree.body]
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return kinds, read - {"Required", "FromEnvironment"}


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_files_are_clean_python(source: str, target: str, tmp_path: Path) -> None:
    """No unused import, no undefined name: the parts fit together."""
    for name, text in adapters(source, target, run_of(source, "/data/x.parquet")).files.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    rules = ["--select", "F,E4,E7,E9,B,S307,S102", "--ignore", "E402"]
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--target-version", "py310", *rules, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@settings(max_examples=40, deadline=None)
@given(uri=VALUES, name=HOSTILE, path=VALUES, function=HOSTILE, key=HOSTILE, value=VALUES)
def test_no_text_of_a_config_becomes_code(
    uri: Value, name: str, path: Value, function: str, key: str, value: Value
) -> None:
    plain = adapters("verl", "chatlearn", with_text("/d/x.parquet", "name", "/r.py", "f", "k", "v"))
    new_adapters = adapters("verl", "chatlearn", with_text(uri, name, path, function, key, value))
    for file, text in new_adapters.files.items():
        assert skeleton(text) == skeleton(plain.files[file])
        assert untouched(text)


def with_text(uri: Value, name: str, path: Value, function: str, key: str, value: Value) -> dict[str, Any]:
    reward = {"function_path": path, "function_name": function, "function_args": {key: value}}
    return run_of("verl", uri, name=name, keys__prompt=name) | {f"stage.reward.{k}": v for k, v in reward.items()}


def test_a_hostile_name_stays_below_the_folder() -> None:
    for name in ("../../etc", "/etc", "..", "a/b", "", "x\n", "$(x)"):
        values = adapters("verl", "roll", run_of("verl", "/d/x.parquet", name=name), "out").values
        place = Path(values["stage.data.train[0].uri"])
        assert place.parts[:2] == ("out", "data")
        assert len(place.parts) == 4
        assert ".." not in place.parts


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_same_plan_gives_the_same_bytes(source: str, target: str) -> None:
    first, second = (adapters(source, target, run_of(source, "/x")).files for _ in range(2))
    assert first == second


def test_what_rftconf_wrote_is_told_from_what_a_person_changed() -> None:
    text = adapters("verl", "roll", run_of("verl", "/x")).files[DATA_FILE]
    assert text.splitlines()[1].startswith(MARK)
    assert untouched(text)
    assert not untouched(text.replace("/x", "/y"))
    assert not untouched(text + "\n")
    assert not untouched("print()\n")


def test_every_framework_has_a_shape_and_a_title() -> None:
    assert set(SHAPES) == {known.family for known in FRAMEWORKS.values()}
    for name in SHAPES:
        assert title(name) == FRAMEWORKS[name].title
