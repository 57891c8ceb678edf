"""Writing a plan for another framework or release takes facts that are known about the run beside its plan."""

from __future__ import annotations

from functools import partial
from typing import Any

from rftconf.load.stage import StageRead
from rftconf.mappers.facts import Facts


def facts_of_writing(stage: StageRead, form: str, model: Any, *, same_framework: bool) -> Facts:
    """The facts of a writing of `stage`; `form` is the one that a person asks for, `model` the path of its model."""
    reading = stage.reading
    return Facts(
        form=form,
        rows=reading.rows(),
        layers=partial(_layers, model),
        open=bool(reading.value_errors or reading.unread_rows),
        source=reading.source if same_framework else None,
        removed=reading.facts.removed if same_framework else {},
        shipped=reading.facts.shipped if same_framework else "",
    )


def _layers(model: Any) -> int | None:
    """Layers of the model that a path names; None where the table has no such model."""
    # for a quick start
    from rftconf.budget.facts.models import find

    known = find(model) if isinstance(model, str) else None
    return None if known is None else known.architecture.depth
