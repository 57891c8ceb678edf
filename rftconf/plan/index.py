"""The unit and the role of each plan field, from a file made of the plan's own annotations.

A conversion asks for units all the time and for the model never, and pydantic is the slowest thing it could import.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.fields import Part

FILE = Path(__file__).parent / "index.json"
"""Written by `python -m rftconf.plan.index`; a test holds that it is what the model says."""


@cache
def fields() -> dict[str, tuple[Unit | None, str]]:
    """Every leaf field of a run as `path -> (unit, role)`; items of lists as `list[].field`."""
    data: dict[str, list[str]] = json.loads(FILE.read_bytes())
    return {path: (Unit(unit) if unit else None, role) for path, (unit, role) in data.items()}


def unit_of(path: str) -> Unit | None:
    """The unit of the plan field at `path` (no indices), or None where it counts nothing."""
    return fields().get(path, (None, ""))[0]


def role_of(path: str) -> str:
    """`performance`, `bookkeeping` or "" (it changes the mathematics)."""
    return fields().get(path, (None, ""))[1]


def from_model() -> dict[str, tuple[Unit | None, str]]:
    """What `fields` should say, read off the model's annotations."""
    from rftconf.plan.model import Run

    return dict(_walk(Run, ""))


def written(found: dict[str, tuple[Unit | None, str]]) -> str:
    """The text of FILE for `found`."""
    rows = ",\n".join(f"{json.dumps(path)}: {json.dumps([unit or '', role])}" for path, (unit, role) in found.items())
    return f"{{\n{rows}\n}}\n"


def _walk(model: type[Part], prefix: str) -> list[tuple[str, tuple[Unit | None, str]]]:
    from rftconf.plan.fields import Part

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


if __name__ == "__main__":
    FILE.write_text(written(from_model()), encoding="utf-8")
