"""A typed plan as flat values, a stage at a time: what hashes, totals and comparisons work on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf.plan.fields import Part
    from rftconf.plan.model import Plan


def flat_stages(plan: Plan) -> list[dict[str, Any]]:
    """Path (`identity.project`, `stage.batch.passes`) to value, for each stage; what is not set is left out."""
    shared = {**dict(_walk(plan.identity, "identity")), **dict(_walk(plan.cluster, "cluster"))}
    return [{**shared, **dict(_walk(stage, "stage"))} for stage in plan.stages]


def _walk(part: Part, path: str) -> Iterator[tuple[str, Any]]:
    from rftconf.plan.fields import Part

    for name in type(part).model_fields:
        value = getattr(part, name)
        here = f"{path}.{name}"
        if isinstance(value, Part):
            yield from _walk(value, here)
        elif isinstance(value, list) and value and isinstance(value[0], Part):
            for index, item in enumerate(value):
                yield from _walk(item, f"{here}[{index}]")
        elif value is not None and value not in ({}, []):
            yield here, value
