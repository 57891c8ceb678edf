"""All that is known about one plan field: its unit and role, how each framework holds it, hazards and rules."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import rftconf.plan
from rftconf.explain.fields import FieldSupport, field_support
from rftconf.explain.hazards import Hazard, concerning
from rftconf.explain.looks import rules_about
from rftconf.plan.index import fields
from rftconf.schemas import registry
from rftconf.schemas.framework import Framework

_TYPES = {
    "int": "integer",
    "float": "number",
    "bool": "true or false",
    "str": "text",
    "Fraction": "fraction",
    "dict": "mapping",
}


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """A plan field (without `stage.`) and what stands for it elsewhere. `section` says what the fields beside it are for."""

    field: str
    section: str
    type: str
    choices: tuple[str, ...]
    unit: str
    role: str
    held: tuple[FieldSupport, ...]


def field_facts(path: str, apart_from: Framework | None = None, kind: str = "") -> FieldFacts:
    """The field at `path` (whole), held by every framework but one; for runs of `kind` by the programs that run those."""
    field = fields()[path]
    kinds = [name.removeprefix("[") for name in field.kinds if not name.startswith("=")]
    several = any(name.startswith("[") for name in field.kinds)
    names = " or ".join(dict.fromkeys(_TYPES[name] for name in kinds if name in _TYPES))
    return FieldFacts(
        path.removeprefix("stage."),
        _section(path),
        f"list of {names}" if several else names,
        tuple(name[1:] for name in field.kinds if name.startswith("=")),
        str(field.unit or ""),
        field.role or "mathematics",
        tuple(
            _support(framework.name, path, kind or _kind_of(apart_from)) for framework in _other_frameworks(apart_from)
        ),
    )


def hazards_of(path: str) -> tuple[Hazard, ...]:
    """The hazards that concern a plan field."""
    return concerning((path.removeprefix("stage."),))


def rules_of(path: str) -> tuple[tuple[str, str], ...]:
    """Codes and titles of the rules, of any framework, that look at a plan field."""
    return rules_about("", (path.removeprefix("stage."),), ())


def _other_frameworks(apart_from: Framework | None) -> list[Framework]:
    return [
        framework
        for framework in registry.FRAMEWORKS.values()
        if apart_from is None or framework.name != apart_from.family
    ]


def _kind_of(framework: Framework | None) -> str:
    """The kind of run that a program is there for; other programs have their tables by kind."""
    return framework.kinds[0] if framework is not None and framework.kinds else ""


@cache
def _support(name: str, path: str, kind: str) -> FieldSupport:
    """Return another framework's counterpart of the field, in its program that runs this kind."""
    framework = registry.framework(name)
    if kind in framework.lacks:
        return FieldSupport(name, path.removeprefix("stage."), "none", how=framework.lacks[kind])
    program = registry.program_for(framework, kind)
    return field_support(program.name, path, kind if program is framework else "")


@cache
def _schema() -> dict[str, Any]:
    """The plan's committed JSON Schema, which holds the model's docstrings: reading it needs no pydantic."""
    schema: dict[str, Any] = json.loads(Path(rftconf.plan.__file__).with_name("schema.json").read_bytes())
    return schema


def _section(path: str) -> str:
    """The first sentence of the docstring of the part of the plan that the field belongs to."""
    definitions = _schema()["$defs"]
    inside = path.startswith("stage.")
    node: dict[str, Any] = definitions["Stage"] if inside else _schema()
    text = node.get("description", "")
    for step in path.removeprefix("stage.").replace("[]", "").split(".")[:-1]:
        node = definitions.get(_reference(node.get("properties", {}).get(step, {})), {})
        text = node.get("description", text)
    return " ".join(text.split()).partition(". ")[0].rstrip(".")


def _reference(schema: Any) -> str:
    """The definition that a property refers to, itself or as an item of a list."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            return str(schema["$ref"]).rpartition("/")[2]
        return next((name for value in schema.values() if (name := _reference(value))), "")
    return next((name for value in schema if (name := _reference(value))), "") if isinstance(schema, list) else ""
