"""The unit of each plan field, read once from the plan's own annotations."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args, get_origin

from rftconf.plan.fields import Part
from rftconf.plan.model import Run
from rftconf.plan.units import Unit


@cache
def fields() -> dict[str, tuple[Unit | None, str]]:
    """Every leaf field of a run as `path -> (unit, role)`; items of lists as `list[].field`."""
    return dict(_walk(Run, ""))


def unit_of(path: str) -> Unit | None:
    """The unit of the plan field at `path` (no indices), or None where it counts nothing."""
    return fields().get(path, (None, ""))[0]


def role_of(path: str) -> str:
    """`performance`, `bookkeeping` or "" (it changes the mathematics)."""
    return fields().get(path, (None, ""))[1]


def _walk(model: type[Part], prefix: str) -> list[tuple[str, tuple[Unit | None, str]]]:
    found: list[tuple[str, tuple[Unit | None, str]]] = []
    for name, info in model.model_fields.items():
        path = f"{prefix}{name}"
        annotation: Any = info.annotation
        item = get_args(annotation)[0] if get_origin(annotation) is list else None
        if isinstance(annotation, type) and issubclass(annotation, Part):
            found += _walk(annotation, f"{path}.")
        elif isinstance(item, type) and issubclass(item, Part):
            found += _walk(item, f"{path}[].")
        else:
            unit = next((m for m in info.metadata if isinstance(m, Unit)), None)
            extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
            found.append((path, (unit, str(extra.get("role", "")))))
    return found
