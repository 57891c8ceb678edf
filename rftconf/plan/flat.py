"""A typed plan as flat values, a stage at a time: what hashes, totals and comparisons work on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf.plan.fields import Part
    from rftconf.plan.model import Plan


def flat_stages(plan: Plan, *, nulls: bool = False) -> list[dict[str, Any]]:
    """Path (`identity.project`, `stage.batch.passes`) to value, for each stage; what is not set is left out, and unless they
    are asked for, so are the `nulls` by which a plan says that there is none."""
    shared = dict((*_walk(plan.identity, "identity", nulls), *_walk(plan.cluster, "cluster", nulls)))
    return [{**shared, **dict(_walk(stage, "stage", nulls))} for stage in plan.stages]


def _walk(part: Part, path: str, nulls: bool) -> Iterator[tuple[str, Any]]:
    from rftconf.plan.fields import Part

    for name in type(part).model_fields:
        value = getattr(part, name)
        full_path = f"{path}.{name}"
        if isinstance(value, Part):
            yield from _walk(value, full_path, nulls)
        elif isinstance(value, list) and value and isinstance(value[0], Part):
            for index, item in enumerate(value):
                yield from _walk(item, f"{full_path}[{index}]", nulls)
        elif (value is not None and value not in ({}, [])) or (
            nulls and value is None and name in part.model_fields_set
        ):
            yield full_path, value
