"""The committed index of plan fields is what the model's annotations say."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rftconf.base.symbols import Var
from rftconf.load.typed_plan import nest
from rftconf.plan import index
from rftconf.plan.model import Run
from rftconf.plan.units import Unit


def test_the_file_is_current() -> None:
    fresh = index.from_model()
    assert index.fields() == fresh, "run: python -m rftconf.plan.index"
    assert index.FILE.read_text() == index.index_text(fresh)


def test_units_and_roles() -> None:
    assert index.unit_of("stage.batch.prompts_per_rollout") is Unit.PROMPTS
    assert index.unit_of("stage.batch.passes") is None
    assert index.role_of("cluster.nodes") == "performance"
    assert index.role_of("no.such.field") == ""


VALUES: list[object] = [
    *(True, 0, 3, -1, 0.5, 3.0, "x", "", "auto", "rl", "fixed", Fraction(25, 4), Var("A"), None),
    *([], ["a"], ["a", Var("B")], [0.9, 0.95], [1, 2], [["a"]], {}, {"a": 1}, {"a": {"b": [1]}}),
]


@pytest.mark.parametrize("path", [path for path in index.fields() if "[]" not in path])
def test_what_is_surely_valid_is_valid(path: str) -> None:
    for value in VALUES:
        if value is not None and index.surely_valid(path, value):
            assert isinstance(Run.model_validate(nest({path: value})), Run)


def test_most_fields_are_surely_valid_for_some_value() -> None:
    paths = [path for path in index.fields() if "[]" not in path]
    known = [path for path in paths if any(index.surely_valid(path, v) for v in VALUES if not isinstance(v, Var))]
    assert len(known) > 0.9 * len(paths)


def test_what_is_in_doubt_is_left_to_pydantic() -> None:
    assert not index.surely_valid("stage.batch.passes", True)
    assert not index.surely_valid("stage.batch.passes", "3")
    assert not index.surely_valid("stage.kind", "rlhf")
    assert not index.surely_valid("no.such.field", 1)
    assert index.surely_valid("stage.batch.passes", Var("E"))
