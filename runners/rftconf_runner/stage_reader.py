"""Values of a plan's stage by path: plain numbers, and a list of what is symbolic or missing."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any

from rftconf.base.symbols import Expr, formula
from rftconf.plan.model import Stage


class StageReader:
    """A reader of a stage's values: `open` lists what is symbolic, or needed and absent, `seen` all paths asked for."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.open, self.seen = stage, list[str](), set[str]()

    def value(self, path: str, otherwise: Any = None) -> Any:
        """Return the plan's value, `otherwise` where it has none; without an `otherwise` the value is needed."""
        self.seen.add(path)
        value: Any = self.stage
        for name in path.split("."):
            value = getattr(value, name)
        if isinstance(value, Expr) or (value is None and otherwise is None):
            self.open.append(f"stage.{path}" + (f" = {formula(value)}" if isinstance(value, Expr) else ""))
            return None
        return otherwise if value is None else value

    def text(self, path: str, value: object, otherwise: str | None = None) -> str:
        """A name or a path that stands in a list, whose items have no paths of their own."""
        if isinstance(value, Expr) or (value is None and otherwise is None):
            self.open.append(f"stage.{path}" + (f" = {formula(value)}" if isinstance(value, Expr) else ""))
        return str(otherwise if value is None else value)

    def exact(self, path: str, otherwise: int | None = None) -> Fraction:
        """A number as it is written."""
        value = self.value(path, otherwise) or 0
        if isinstance(value, float) and not isfinite(value):
            self.open.append(f"stage.{path} = {value}")
            return Fraction(0)
        return Fraction(str(value))

    def nearest(self, path: str, otherwise: int | None = None) -> int:
        """A count that follows from others, of a part of something: rounded to the nearest whole one."""
        return round(self.exact(path, otherwise))

    def whole(self, path: str, otherwise: int | None = None) -> int:
        """A count. A fraction of one is as open as a name: rounding it would be another run."""
        exact_value = self.exact(path, otherwise)
        if exact_value.denominator != 1:
            self.open.append(f"stage.{path} = {exact_value}, no whole number")
        return round(exact_value)

    def number(self, path: str, otherwise: float | None = None) -> float:
        """A real number."""
        value = self.value(path, otherwise)
        return 0.0 if value is None else float(value)


def number(value: object) -> float:
    """A number that a plan keeps within a block; NaN for anything else, which `refusals` has refused then."""
    try:
        return float(str(value))
    except ValueError:
        return float("nan")
