"""The cost of a framework in lines is counted over all of its own files, and over none that is generated."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from rftconf.schemas.registry import FRAMEWORKS

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
cost = importlib.import_module("framework_cost")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_framework_has_files_of_every_part(framework: str) -> None:
    costs = cost.cost_of(framework)
    assert set(costs) == set(cost.PARTS)
    assert all(lines > files > 0 for lines, files in costs.values())


def test_generated_sections_are_not_counted() -> None:
    counted = {path.relative_to(ROOT).as_posix() for path in cost.files_of("openrlhf", "schemas")}
    assert "rftconf/schemas/openrlhf/versions.py" in counted
    assert "rftconf/schemas/openrlhf/model.py" not in counted
