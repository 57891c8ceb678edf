"""Field types of the plan: known values or symbols, and how symbols look in JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema

from rftconf.plan.symbols import Expr, ShellOnly, Var, formula, names_in, to_shell

EXPRESSION_SCHEMA = {
    "type": "object",
    "description": "A value the source does not tell, as an expression over names.",
    "properties": {
        "$expr": {"type": "string"},
        "shell": {"type": "string"},
        "names": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["$expr", "shell", "names"],
    "additionalProperties": False,
}


def dump_symbol(value: Expr) -> dict[str, Any]:
    """A symbol as JSON: formula, shell source, names."""
    return {"$expr": formula(value), "shell": to_shell(value), "names": sorted(names_in(value))}


def _load(value: Any) -> Any:
    if isinstance(value, Expr):
        return value
    if isinstance(value, dict) and set(value) == {"$expr", "shell", "names"}:
        names = tuple(value["names"])
        return Var(names[0]) if names == (value["$expr"],) else ShellOnly(value["shell"], names)
    raise ValueError("neither a known value nor an expression")


Symbol = Annotated[
    Expr, BeforeValidator(_load), PlainSerializer(dump_symbol, when_used="always"), WithJsonSchema(EXPRESSION_SCHEMA)
]


def _fraction(value: Any) -> Any:
    if not isinstance(value, (Fraction, str)):
        raise ValueError("not a fraction")  # noqa: TRY004 - pydantic turns only ValueError into a finding
    return value


Broken = Annotated[
    Fraction,
    BeforeValidator(_fraction),
    PlainSerializer(str, when_used="always"),
    WithJsonSchema({"type": "string", "pattern": r"^\d+/\d+$", "description": "A count that is not whole, e.g. 25/4."}),
]

Int = int | Symbol
Ratio = int | Broken | Symbol
Float = float | Symbol
Str = str | Symbol
Bool = bool | Symbol


class Part(BaseModel):
    """Base of all plan models: unknown fields are errors, values are kept as given."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, strict=False, validate_default=False)
