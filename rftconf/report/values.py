"""Values as a report shows them: one short line for people, plain data for JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from rftconf.base.span import Place
from rftconf.base.symbols import Expr, Value, formula, names_in, to_shell
from rftconf.report.screen import shorten

_LONGEST = 60


def render_value(value: Value, limit: int = _LONGEST) -> str:
    """`value` on one line as a person would write it, shortened to `limit` characters."""
    return shorten(_spelled(value, top=True), limit)


def value_json(value: Value) -> Any:
    """Plain JSON data; a symbol is `{"$expr": formula, "shell": ..., "names": [...]}`, inf `{"$float": "inf"}`."""
    if isinstance(value, Expr):
        return {"$expr": formula(value), "shell": to_shell(value), "names": sorted(names_in(value))}
    if isinstance(value, list):
        return [value_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): value_json(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    return value


def place_json(place: Place | None) -> dict[str, Any] | None:
    """File, line and column, counted from 1."""
    if place is None:
        return None
    return {"file": place.file, "line": place.span.line, "col": place.span.col}


def _spelled(value: Value, *, top: bool = False) -> str:
    if isinstance(value, str):
        return value if top and value else json.dumps(value, ensure_ascii=False)
    if isinstance(value, Expr):
        return formula(value)
    if isinstance(value, list):
        return "[" + ", ".join(_spelled(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_spelled(item)}" for key, item in value.items()) + "}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
