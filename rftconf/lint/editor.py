"""What an editor shows for a key: type, default, meaning, the other frameworks' names; and all of it as a JSON Schema."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from rftconf.lint.counterparts import counterparts
from rftconf.mappers.rows import Row, natives_of, plans_of
from rftconf.mappers.tables import table_of
from rftconf.plan.index import fields
from rftconf.report.values import shown
from rftconf.schemas import catalogue, registry
from rftconf.schemas.catalogue import Catalogue, Key

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "str": "string", "dict": "object"}
_INTERPOLATION = {"type": "string", "pattern": r"\$\{|^\?\?\?$"}
_STEP = re.compile(r"\[\]|<\*>|[^.\[<]+")


@cache
def _meanings(framework: str) -> dict[str, tuple[str, str]]:
    """Native key of the newest release to its plan field and the reason in its row."""
    found: dict[str, tuple[str, str]] = {}
    for row in table_of(framework).rows:
        why = row.why if isinstance(row, Row) else ""
        for native, plan in zip(natives_of(row), plans_of(row), strict=False):
            found.setdefault(native, (plan, why))
    return found


def about_key(framework: str, key: Key) -> str:
    """Sentences about a key: what it is in the plan, its unit, its default, what others call it."""
    said = []
    plan, why = _meanings(framework).get(key.name, ("", ""))
    if plan:
        field = fields().get(plan)
        unit = f" [{field.unit}]" if field is not None and field.unit else ""
        said.append(f"{plan.removeprefix('stage.')}{unit}")
    if why:
        said.append(why)
    if key.default not in (None, "", "???"):
        said.append(f"default {shown(key.default)}")
    for name, other in registry.FRAMEWORKS.items():
        if name != framework and (theirs := counterparts(framework, name).get(key.name)):
            said.append(f"{other.title}: {theirs}")
    return "; ".join(said)


def framework_schema(framework: str, release: str | None = None, trainer: str = "") -> dict[str, Any]:
    """The JSON Schema (2020-12) of a release's config as YAML. Raises UsageError for unknown names."""
    known = catalogue.load(framework, release, trainer)
    title = registry.framework(framework).title
    root: dict[str, Any] = {
        "$schema": DIALECT,
        "title": f"{title} {known.release}{f' ({known.trainer})' if known.trainer else ''}",
        "type": "object",
    }
    for name in known.keys:
        key = known.keys[name]
        _place(
            root,
            [str(step) for step in _STEP.findall(name)],
            _leaf(known, framework, key),
            closed=known.framework == "trinity",
        )
    if known.framework == "trinity":
        root.setdefault("additionalProperties", False)
    return root


def _place(node: dict[str, Any], steps: list[str], leaf: dict[str, Any], *, closed: bool) -> None:
    for step, following in zip(steps, [*steps[1:], ""], strict=True):
        if step == "[]":
            child = node.setdefault("items", {})
        elif step == "<*>":
            child = node["additionalProperties"] if isinstance(node.get("additionalProperties"), dict) else {}
            node["additionalProperties"] = child
        else:
            child = node.setdefault("properties", {}).setdefault(step, {})
        if not following:
            inner = {k: v for k, v in child.items() if k in ("properties", "items", "additionalProperties")}
            child |= {**leaf, **({"type": leaf.get("type", ["object", "null"]), **inner} if inner else {})}
            return
        if following not in ("[]", "<*>"):
            child.pop("anyOf", None)
            child.setdefault("type", ["object", "null"])
            if closed and "additionalProperties" not in child:
                child["additionalProperties"] = False
        elif following == "[]":
            child.pop("anyOf", None)
            child.setdefault("type", ["array", "null"])
        else:
            child.setdefault("type", ["object", "null"])
        node = child


def _leaf(known: Catalogue, framework: str, key: Key) -> dict[str, Any]:
    found: dict[str, Any] = {}
    kinds = [] if key.type in ("any", "") or key.open else [_kind(part) for part in key.type.split("|")]
    if kinds and all(kinds):
        values = [*kinds, _INTERPOLATION] + ([{"type": "null"}] if key.optional or key.inferred else [])
        if key.choices and known.framework != "trinity":
            values = [{"enum": list(key.choices)}, *values[1:]]
        found["anyOf"] = values
    text = about_key(framework, key)
    if text:
        found["description"] = text
    if key.default not in (None, "???") and not isinstance(key.default, (list, dict)):
        found["default"] = key.default
    names = known.names(key.name)
    if names:
        found["examples"] = list(names)
    return found


def _kind(part: str) -> dict[str, Any]:
    if part.startswith("list"):
        inner = _kind(part[5:-1]) if len(part) > 4 else {}
        return {"type": "array", **({"items": {"anyOf": [inner, _INTERPOLATION]}} if inner else {})}
    if part not in _TYPES:
        return {}
    # loaders convert texts to numbers and switches, and numbers to text
    if part == "str":
        return {"type": ["string", "number", "boolean"]}
    return {"type": _TYPES[part]}
