"""An editor shows help for a key: type, default, meaning, other frameworks' names; a JSON Schema holds all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from rftconf.lint.counterparts import counterparts, pairs
from rftconf.mappers.codecs import Same, counts
from rftconf.mappers.rows import Each, Fold, Row
from rftconf.mappers.tables import table_of
from rftconf.plan.index import fields
from rftconf.report.values import render_value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.catalogue import Catalogue, Key

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = {"int": "integer", "float": "number", "bool": "boolean", "str": "string", "dict": "object"}
_INTERPOLATION = {"type": "string", "pattern": r"\$\{|^\?\?\?$"}
_STEP = re.compile(r"\[\]|<\*>|[^.\[<]+")


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a key beyond its type. `plan` is the plan's field without `stage.`, `unit` what the key counts."""

    plan: str = ""
    unit: str = ""
    why: str = ""
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Titles of other frameworks and their key for the same field."""


@cache
def _rows(framework: str) -> dict[str, Row]:
    """Native key of the newest release to its row, the main one where there are several."""
    rows = [row for row in table_of(framework).rows if isinstance(row, Row)]
    return {row.native: row for row in sorted(rows, key=lambda row: not row.alias)}


@cache
def _whys(framework: str) -> dict[str, str]:
    """Native key to the sentence that says which code gives it its meaning; a row's own before one it shares."""
    reasons: dict[str, str] = {}
    for row in table_of(framework).rows:
        if isinstance(row, Each):
            reasons.update({f"{row.native}[].{item.native}": item.why for item in row.rows})
        elif isinstance(row, Fold):
            reasons.update({native: row.why for native in row.natives if native not in reasons})
    return reasons | {native: row.why for native, row in _rows(framework).items()}


@cache
def _fields(framework: str) -> dict[str, str]:
    return dict(reversed(pairs(framework)))


def facts(framework: str, name: str) -> Facts:
    """Return the tables' facts about a key, by its name in the newest release, lists as `[]`."""
    plan, row = _fields(framework).get(name, ""), _rows(framework).get(name)
    field = fields().get(plan)
    # a key may count something else than the plan does; what a fold's key counts is not declared
    same = row is not None and isinstance(row.codec, Same) and field is not None
    unit = row.codec.unit if row and isinstance(row.codec, counts) else field.unit if same and field else None
    mine = registry.framework(framework).title
    others = [
        (framework_title.title, counterparts(framework, o).get(name))
        for o, framework_title in registry.FRAMEWORKS.items()
    ]
    return Facts(
        plan.removeprefix("stage."),
        str(unit or ""),
        _whys(framework).get(name, ""),
        tuple((title, theirs) for title, theirs in others if theirs and title != mine),
    )


def about_key(framework: str, key: Key) -> str:
    """Sentences about a key: what it is in the plan, its unit, its default, what others call it."""
    known = facts(framework, key.name)
    parts = [f"{known.plan}{f' [{known.unit}]' if known.unit else ''}"] if known.plan else []
    parts += [known.why] if known.why else []
    parts += [f"default {render_value(key.default)}"] if key.default not in (None, "", "???") else []
    parts += [f"{title}: {theirs}" for title, theirs in known.elsewhere]
    return "; ".join(parts)


def framework_schema(framework: str, release: str | None = None, trainer: str = "") -> dict[str, Any]:
    """The JSON Schema (2020-12) of a release's config as YAML. Raises UsageError for unknown names."""
    known = catalogue.load(framework, release, trainer)
    title = registry.framework(framework).title
    root: dict[str, Any] = {
        "$schema": DIALECT,
        "title": f"{title} {known.release}{f' ({known.trainer})' if known.trainer else ''}",
        "type": "object",
    }
    closed = registry.framework(known.framework).refuses_unknown
    for name in known.keys:
        key = known.keys[name]
        _place(
            root,
            [str(step) for step in _STEP.findall(name)],
            _leaf(known, framework, key),
            closed=closed,
        )
    if closed:
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
            _holds(child, "object")
            if closed and "additionalProperties" not in child:
                child["additionalProperties"] = False
        elif following == "[]":
            child.pop("anyOf", None)
            _holds(child, "array")
        else:
            _holds(child, "object")
        node = child


def _holds(node: dict[str, Any], kind: str) -> None:
    """A section or a list; an interpolation may stand for the whole of it."""
    if "type" not in node:
        node |= {"type": [kind, "null", "string"], "pattern": _INTERPOLATION["pattern"]}


def _leaf(known: Catalogue, framework: str, key: Key) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    # texts that a framework converts are compared in any case of letters: choices of such a key are proposed only
    closed = bool(key.choices) and not registry.framework(known.framework).converts_texts
    kinds = [] if key.type in ("any", "") or key.open else [_kind(part) for part in key.type.split("|")]
    if kinds and all(kinds):
        values = [*kinds, _INTERPOLATION] + ([{"type": "null"}] if key.optional or key.inferred else [])
        if closed:
            values = [{"enum": list(key.choices)}, *values[1:]]
        facts["anyOf"] = values
    text = about_key(framework, key)
    if text:
        facts["description"] = text
    if key.default not in (None, "???") and not isinstance(key.default, (list, dict)):
        facts["default"] = key.default
    names = known.names(key.name) or (() if closed else key.choices)
    if names:
        facts["examples"] = list(names)
    return facts


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
