"""The text of a plan's value within a sentence: plain ones as Python writes them, a symbol as its formula."""

from __future__ import annotations

from fractions import Fraction

from rftconf.base.symbols import Expr


def render_plan_value(value: object) -> str:
    """Return one value as text, lists and mappings of symbols too."""
    if isinstance(value, (Expr, Fraction)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(render_plan_value, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {render_plan_value(below)}" for key, below in value.items()) + "}"
    return "null" if value is None else repr(value)
