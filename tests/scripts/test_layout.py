"""The package's layout: its figures are measured rightly, and no imports go in a circle."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.sources import ROOT


@pytest.fixture
def layout(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    return importlib.import_module("layout")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Three floors: `top` stands on a circle of two rooms, and those on `ground`."""
    modules = {
        "rftconf/__init__.py": "",
        "rftconf/ground.py": "",
        "rftconf/left/__init__.py": "",
        "rftconf/left/a.py": "from rftconf.ground import x\ndef f():\n    from rftconf.right import b\n",
        "rftconf/right/__init__.py": "",
        "rftconf/right/b.py": "if TYPE_CHECKING:\n    from rftconf.left.a import f\n",
        "rftconf/top/__init__.py": "",
        "rftconf/top/c.py": "import rftconf.right.b\n",
    }
    for name, text in modules.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_rooms_in_a_circle_share_a_floor(layout: Any, house: Path) -> None:
    result = layout.measure(house)
    assert result.floors() == [["rftconf.ground"], ["rftconf.left", "rftconf.right"], ["rftconf.top"]]
    assert result.loose() == ["rftconf.ground"]


def test_imports_in_functions_and_for_annotations_make_circles(layout: Any, house: Path) -> None:
    result = layout.measure(house)
    assert result.circles() == [["rftconf.left.a", "rftconf.right.b"]]
    assert result.folder_circles() == [["rftconf.left", "rftconf.right"]]


def test_a_table_of_moves_is_measured_before_anything_moves(layout: Any, house: Path) -> None:
    moves = importlib.import_module("moves")
    table = moves.Moves(modules={"rftconf.left.a": "rftconf.right.a", "rftconf.ground": "rftconf.base.ground"})
    result = layout.measure(house, table)
    assert result.loose() == []
    assert result.folder_circles() == [["rftconf.right.a", "rftconf.right.b"]]
    assert (house / "rftconf/left/a.py").exists()


def test_no_imports_go_in_a_circle(layout: Any) -> None:
    """Neither modules nor folders, also not in functions and for annotations alone."""
    package = layout.measure(ROOT)
    assert package.circles() == []
    assert package.folder_circles() == []
    assert package.loose() == []
