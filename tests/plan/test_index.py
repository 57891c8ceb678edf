"""The committed index of plan fields is what the model's annotations say."""

from __future__ import annotations

from rftconf.plan import index
from rftconf.plan.units import Unit


def test_the_file_is_current() -> None:
    fresh = index.from_model()
    assert index.fields() == fresh, "run: python -m rftconf.plan.index"
    assert index.FILE.read_text() == index.written(fresh)


def test_units_and_roles() -> None:
    assert index.unit_of("stage.batch.prompts_per_rollout") is Unit.PROMPTS
    assert index.unit_of("stage.batch.passes") is None
    assert index.role_of("cluster.nodes") == "performance"
    assert index.role_of("no.such.field") == ""
