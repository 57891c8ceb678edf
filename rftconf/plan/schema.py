"""The JSON Schema of the plan, for editors and for readers in other languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rftconf.plan.fields import EXPRESSION_SCHEMA

PATH = Path(__file__).with_name("schema.json")
"""The committed schema; tests hold that it is what `plan_schema` gives."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"
EXPRESSION = {"$ref": "#/$defs/Expression"}


def plan_schema() -> dict[str, Any]:
    """The schema of what `rftconf plan --format json` writes; expressions over unknown names are defined once."""
    from rftconf.plan.model import Plan

    schema = _shared(Plan.model_json_schema(mode="serialization"))
    schema["$defs"]["Expression"] = EXPRESSION_SCHEMA
    return {"$schema": DIALECT, **schema}


def committed() -> dict[str, Any]:
    """The schema as it lies beside this file; nothing has to be imported for it."""
    schema: dict[str, Any] = json.loads(PATH.read_bytes())
    return schema


def _shared(node: Any) -> Any:
    if node == EXPRESSION_SCHEMA:
        return EXPRESSION
    if isinstance(node, dict):
        return {name: _shared(value) for name, value in node.items()}
    return [_shared(value) for value in node] if isinstance(node, list) else node
