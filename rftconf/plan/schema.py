"""The JSON Schema of the plan, for editors and for readers in other languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rftconf.plan.fields import EXPRESSION_SCHEMA, NODE_SCHEMA, UNKNOWN, Part
from rftconf.plan.units import Unit

PATH = Path(__file__).with_name("schema.json")
"""The committed schema; tests hold that it is what `plan_schema` gives."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"
EXPRESSION = {"$ref": "#/$defs/Expression"}


def plan_schema() -> dict[str, Any]:
    """The schema of what `rftconf plan --json` writes.

    Expressions over unknown names are defined once; `x-unit` says what a number counts, `role` what a field is for.
    """
    from rftconf.plan.model import Plan

    schema = _shared(Plan.model_json_schema(mode="serialization"))
    for model in _models():
        _add_units(model, schema["$defs"].get(model.__name__, {}).get("properties", {}))
    schema["$defs"] |= {"Expression": EXPRESSION_SCHEMA, "ExpressionNode": NODE_SCHEMA}
    return {"$schema": DIALECT, **schema}


def _models() -> list[type[Part]]:
    return Part.__subclasses__()


def _add_units(model: type[Part], properties: dict[str, Any]) -> None:
    for name, info in model.model_fields.items():
        unit = next((unit for unit in info.metadata if isinstance(unit, Unit)), None)
        if unit is not None and name in properties:
            properties[name]["x-unit"] = unit.value


def committed() -> dict[str, Any]:
    """The schema as it lies beside this file; nothing has to be imported for it."""
    schema: dict[str, Any] = json.loads(PATH.read_bytes())
    return schema


def _shared(node: Any, *, named: bool = False) -> Any:
    """`node` with expressions by reference and without titles that only repeat names."""
    if node == UNKNOWN:
        return EXPRESSION
    if isinstance(node, dict):
        return {k: _shared(v, named=k in ("properties", "$defs")) for k, v in node.items() if named or k != "title"}
    return [_shared(value) for value in node] if isinstance(node, list) else node
