"""Two names for a plan: `math_id` over what changes the mathematics, `plan_id` over placement and performance as well."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from rftconf.plan.index import BOOKKEEPING, PERFORMANCE, role_of
from rftconf.plan.model import Plan

VERSION = "1"
"""Part of every id: changes when the meaning of a field does."""


def math_id(plan: Plan) -> str:
    """Stable over machines and releases: equal when two plans train the same way."""
    return _digest(plan, leave_out=(PERFORMANCE, BOOKKEEPING))


def plan_id(plan: Plan) -> str:
    """As `math_id`, and the same placement and performance settings."""
    return _digest(plan, leave_out=(BOOKKEEPING,))


def _digest(plan: Plan, leave_out: tuple[str, ...]) -> str:
    flat = {path: value for path, value in flatten(plan).items() if _role(path) not in leave_out}
    text = json.dumps([VERSION, sorted(flat.items())], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def flatten(plan: Plan) -> dict[str, Any]:
    """Every set leaf of the plan's identity, cluster and stages as `stages[0].batch.passes -> value`."""
    dumped = plan.model_dump(mode="json", exclude_none=True, include={"identity", "cluster", "stages"})
    flat: dict[str, Any] = {}
    _walk(dumped, "", flat)
    return flat


def _walk(node: Any, path: str, flat: dict[str, Any]) -> None:
    if isinstance(node, dict) and "$expr" not in node and (not path or _is_part(path)):
        for name, value in node.items():
            _walk(value, f"{path}.{name}" if path else name, flat)
    elif isinstance(node, list) and node and isinstance(node[0], dict):
        for index, value in enumerate(node):
            _walk(value, f"{path}[{index}]", flat)
    elif node not in ({}, []):
        flat[path] = _number(node)


def _number(value: Any) -> Any:
    """1 and 1.0 are the same value."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _is_part(path: str) -> bool:
    return _plain(path) not in _leaf_dicts()


def _leaf_dicts() -> frozenset[str]:
    from rftconf.plan.index import fields

    return frozenset(fields())


def _plain(path: str) -> str:
    return re.sub(r"\[\d+\]", "[]", re.sub(r"^stages\[\d+\]", "stage", path))


def _role(path: str) -> str:
    return role_of(_plain(path))
