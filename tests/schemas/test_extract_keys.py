"""The extraction script: its own parts here; what it extracts is compared with the packages by its --check."""

from __future__ import annotations

import enum
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Optional, Union

import pytest

from rftconf.schemas import registry

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    yield
    for name in ("annotation_types", "extract_keys", "dump_trinity", "import_stubs", "generated"):
        sys.modules.pop(name, None)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Inner:
    size: int = 1


@pytest.mark.usefixtures("scripts")
@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (int, ("int", False, [])),
        (Optional[int], ("int", True, [])),  # noqa: UP045
        (int | None, ("int", True, [])),
        (Union[str, float, None], ("str|float", True, [])),  # noqa: UP007
        (list[int], ("list[int]", False, [])),
        (dict[str, Any], ("dict", False, [])),
        (Colour, ("str", False, ["red", "blue"])),
        (Optional[Colour], ("str", True, ["red", "blue"])),  # noqa: UP045
        (Literal["a", "b"], ("str", False, ["a", "b"])),
        (Inner, ("dict", False, [])),
        (list[Inner], ("list[dict]", False, [])),
        (Any, ("any", True, [])),
    ],
)
def test_type_texts(hint: Any, expected: tuple[str, bool, list[str]]) -> None:
    module = importlib.import_module("annotation_types")
    assert module.of_annotation(hint) == expected


@pytest.mark.usefixtures("scripts")
def test_nested_dataclasses_are_found_with_how_they_are_held() -> None:
    module = importlib.import_module("annotation_types")
    assert module.dataclass_inside(Optional[list[Inner]]) == (Inner, "[]")  # noqa: UP045
    assert module.dataclass_inside(dict[str, Inner]) == (Inner, "<*>")
    assert module.dataclass_inside(Inner) == (Inner, "")
    assert module.dataclass_inside(list[int]) == (None, "")


@pytest.mark.usefixtures("scripts")
def test_a_rendered_catalogue_is_json_with_a_key_per_line() -> None:
    module = importlib.import_module("extract_keys")
    rows = {
        "a.b": {"type": "int", "optional": True, "default": None},
        "a.c": {"type": "str", "optional": False, "default": "x", "inferred": True, "interpolation": "${a.b}"},
    }
    text = module.render("verl", "9.9.9", "fsdp", {"keys": rows, "names": {"a.c": ["x", "y"]}})
    assert json.loads(text) == {
        "framework": "verl",
        "release": "9.9.9",
        "trainer": "fsdp",
        "names": {"a.c": ["x", "y"]},
        "keys": {"a.b": ["int?", None], "a.c": ["~str", "x", {"interpolation": "${a.b}"}]},
    }
    assert [line for line in text.splitlines() if '"a.' in line] == [
        '"a.c": ["x", "y"]',
        '"a.b": ["int?", null],',
        '"a.c": ["~str", "x", {"interpolation": "${a.b}"}]',
    ]


@pytest.mark.usefixtures("scripts")
def test_every_catalogue_has_its_file() -> None:
    module = importlib.import_module("extract_keys")
    files = {module.target(*names) for names in module.catalogues([])}
    expected = [
        trainer
        for framework in registry.variants()
        for release in framework.releases
        for trainer in framework.trainers_of(release)
    ]
    assert len(files) == len(expected)
    assert all(path.exists() for path in files)
    assert {path for folder in {f.parent for f in files} for path in folder.glob("*.json")} == files


def test_a_missing_package_is_an_error_that_says_which(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPTS / "extract_keys.py"), "--packages", str(tmp_path), "--check", "trinity"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "trinity-0.3.3" in done.stderr
