"""The unit, the role and the kinds of value of each plan field, from a file made of the plan's own annotations.

A conversion asks for units all the time and for the model never, and pydantic is the slowest thing it could import.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from math import isinf, isnan
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from rftconf.base.numbers import BEYOND
from rftconf.base.symbols import Expr
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.fields import Part

FILE = Path(__file__).parent / "index.json"
"""Written by `python -m rftconf.plan.index`; a test holds that it is what the model says."""


class Field(NamedTuple):
    """A leaf field of a run; `kinds` are the types it takes (`int`, `Expr`, ...), `=x` a choice, `[x` list items."""

    unit: Unit | None
    role: str
    kinds: tuple[str, ...]

    def excludes(self, value: float) -> bool:
        """True for what is no number in any field, and for infinity in a field that counts something."""
        return isnan(value) or (self.unit is not None and isinf(value))


@cache
def fields() -> dict[str, Field]:
    """Every leaf field of a run by its path; items of lists as `list[].field`."""
    data: dict[str, list[str]] = json.loads(FILE.read_bytes())
    return {
        path: Field(Unit(unit) if unit else None, role, tuple(kinds.split("|")) if kinds else ())
        for path, (unit, role, kinds) in data.items()
    }


@cache
def unit_of(path: str) -> Unit | None:
    """The unit of the plan field at `path` (no indices), or None where it counts nothing."""
    field = fields().get(path)
    return field.unit if field else None


def role_of(path: str) -> str:
    """`performance`, `measurement`, `bookkeeping` or "" (it changes the mathematics)."""
    field = fields().get(path)
    return field.role if field else ""


def surely_valid(path: str, value: object) -> bool:
    """True when the model takes `value` at `path` (no indices) for certain; False means: ask pydantic."""
    field = fields().get(path)
    return field is not None and suits(value, field.kinds) and not (type(value) is float and field.excludes(value))


def suits(value: object, kinds: tuple[str, ...]) -> bool:
    """True when the kinds of a field take `value` as it is."""
    if isinstance(value, Expr):
        return "Expr" in kinds
    if isinstance(value, list):
        inner = tuple(kind[1:] for kind in kinds if kind.startswith("["))
        return bool(inner) and all(suits(item, inner) for item in value)
    if isinstance(value, str):
        return "str" in kinds or f"={value}" in kinds
    if isinstance(value, dict):
        return "dict" in kinds and all(isinstance(key, str) for key in value)
    if type(value) is int and abs(value) >= BEYOND:
        return False
    name = type(value).__name__
    return name in kinds or (name == "int" and "float" in kinds)


def from_model() -> dict[str, Field]:
    """Return what `fields` should say, read off the model's annotations."""
    from rftconf.plan.model import Run

    return dict(_walk(Run, ""))


def index_text(listing: dict[str, Field]) -> str:
    """The text of FILE for `listing`."""
    rows = [
        f"{json.dumps(path)}: {json.dumps([f.unit or '', f.role, '|'.join(f.kinds)])}" for path, f in listing.items()
    ]
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _walk(model: type[Part], prefix: str, above: str = "") -> list[tuple[str, Field]]:
    """`above` is the role of the field that holds the model; it stands for fields that say nothing themselves."""
    from rftconf.plan.fields import Part

    fields_below: list[tuple[str, Field]] = []
    for name, info in model.model_fields.items():
        path = f"{prefix}{name}"
        annotation: Any = info.annotation
        item = get_args(annotation)[0] if get_origin(annotation) is list else None
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        role = str(extra.get("role", above))
        if isinstance(annotation, type) and issubclass(annotation, Part):
            fields_below += _walk(annotation, f"{path}.", role)
        elif isinstance(item, type) and issubclass(item, Part):
            fields_below += _walk(item, f"{path}[].", role)
        else:
            unit = next((m for m in info.metadata if isinstance(m, Unit)), None)
            fields_below.append((path, Field(unit, role, tuple(_kinds(annotation)))))
    return fields_below


def _kinds(annotation: Any) -> Iterator[str]:
    """The names of the types in a field's annotation."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    for part in parts:
        bare = get_args(part)[0] if get_origin(part) is Annotated else part
        origin = get_origin(bare)
        if origin is Literal:
            yield from (f"={choice}" for choice in get_args(bare))
        elif origin is list:
            yield from (f"[{kind}" for kind in _kinds(get_args(bare)[0]))
        elif origin is dict:
            yield "dict"
        elif bare is not NoneType:
            yield bare.__name__


if __name__ == "__main__":
    FILE.write_text(index_text(from_model()), encoding="utf-8")
