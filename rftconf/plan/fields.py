"""Field types of the plan: known values or symbols, and how both look in JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializationInfo,
    ValidationInfo,
    WithJsonSchema,
)

from rftconf.base.expressions import EXPRESSION, FLOAT, FLOATS, OPERATORS, TREE, dump_value, load_value
from rftconf.base.symbols import Expr
from rftconf.plan.field_roles import BOOKKEEPING, MEASUREMENT, PERFORMANCE

_NODE = {"$ref": "#/$defs/ExpressionNode"}
_TEXT = {"type": "string"}


def _form(**properties: Any) -> dict[str, Any]:
    """An object with these keys, all of them and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


NODE_SCHEMA: dict[str, Any] = {
    "description": "A part of an expression: a variable, a key that a person has to give, text around values, arithmetic, a value that a shell computes, "
    "a branch over a shell's condition, the time of the start, or a known value.",
    "anyOf": [
        {"type": ["string", "number", "boolean", "null"]},
        _form(var=_TEXT),
        _form(open=_TEXT),
        _form(text={"type": "array", "items": _NODE}),
        _form(op={"enum": list(OPERATORS)}, of={"type": "array", "items": _NODE, "minItems": 2, "maxItems": 2}),
        _form(shell=_TEXT, names={"type": "array", "items": _TEXT}),
        _form(**{"if": _TEXT, "then": _NODE, "else": _NODE}),
        _form(now=_TEXT),
        _form(value={}),
        _form(**{FLOAT: {"enum": list(FLOATS)}}),
    ],
}
EXPRESSION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "A value the source does not tell: its formula, and the tree that the formula was made of. "
    "Without a tree the formula is the name of a variable.",
    "properties": {EXPRESSION: _TEXT, TREE: _NODE},
    "required": [EXPRESSION],
    "additionalProperties": False,
}
UNKNOWN: dict[str, Any] = {"x-unknown": True}
"""What stands for EXPRESSION_SCHEMA until the plan's schema is whole."""
FLOAT_SCHEMA = {"anyOf": [{"type": "number"}, _form(**{FLOAT: {"enum": list(FLOATS)}})]}


def _load(value: Any) -> Any:
    loaded = load_value(value) if isinstance(value, dict) else value
    if isinstance(loaded, Expr):
        return loaded
    raise ValueError("neither a known value nor an expression")


DOCUMENT = "document"
"""The context key of a validation whose input was written as JSON, and not by our own code."""


def _loaded(value: Any, info: ValidationInfo) -> Any:
    """A value of a document may be an object of ours, at any depth; a source's own mapping never is."""
    written = info.mode == "json" or (info.context or {}).get(DOCUMENT, False)
    return load_value(value) if written and isinstance(value, dict) else value


def _serialize(value: Any, info: SerializationInfo) -> Any:
    return value if info.mode == "python" else dump_value(value)


Symbol = Annotated[Expr, BeforeValidator(_load), PlainSerializer(_serialize), WithJsonSchema(UNKNOWN)]


def _fraction(value: Any) -> Any:
    if not isinstance(value, (Fraction, str)):
        raise ValueError("not a fraction")  # noqa: TRY004 - pydantic turns only ValueError into a finding
    return value


Broken = Annotated[
    Fraction,
    BeforeValidator(_fraction),
    PlainSerializer(_serialize),
    WithJsonSchema({"type": "string", "pattern": r"^\d+/\d+$", "description": "A count that is not whole, e.g. 25/4."}),
]
Real = Annotated[float, BeforeValidator(_loaded), PlainSerializer(_serialize), WithJsonSchema(FLOAT_SCHEMA)]
Free = Annotated[
    dict[str, Any],
    BeforeValidator(_loaded),
    PlainSerializer(_serialize),
    WithJsonSchema({"type": "object"}),
]
"""A mapping whose keys are its source's own; values in it may be unknown, too."""

Int = int | Symbol
Ratio = int | Broken | Symbol
Float = Real | Symbol
Str = str | Symbol
Bool = bool | Symbol


class Part(BaseModel):
    """Base of all plan models: unknown fields are errors, values are kept as given."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, strict=False, validate_default=False)


Perf: Any = Field(default=None, json_schema_extra={"role": PERFORMANCE})
Book: Any = Field(default=None, json_schema_extra={"role": BOOKKEEPING})
Seen: Any = Field(default=None, json_schema_extra={"role": MEASUREMENT})
"""Defaults of fields that do not change the mathematics: speed, names and records, what is measured."""
