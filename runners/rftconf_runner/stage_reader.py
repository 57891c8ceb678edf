"""Values of a plan's stage by path: plain numbers, and a list of what is symbolic or missing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.plan.model import Stage
from rftconf.plan.symbols import Expr, formula


class StageReader:
    """What is symbolic, or needed and absent, is collected in `open`; every path asked for in `seen`."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.open, self.seen = stage, list[str](), set[str]()

    def value(self, path: str, otherwise: Any = None) -> Any:
        """What the plan holds, `otherwise` where it holds nothing; needed when there is no `otherwise`."""
        self.seen.add(path)
        found: Any = self.stage
        for name in path.split("."):
            found = getattr(found, name)
        if isinstance(found, Expr) or (found is None and otherwise is None):
            self.open.append(f"stage.{path}" + (f" = {formula(found)}" if isinstance(found, Expr) else ""))
            return None
        return otherwise if found is None else found

    def whole(self, path: str, otherwise: int | None = None) -> int:
        """A count; a share of one is rounded to the nearest whole one."""
        found = self.value(path, otherwise)
        return 0 if found is None else round(Fraction(str(found)))

    def number(self, path: str, otherwise: float | None = None) -> float:
        """A real number."""
        found = self.value(path, otherwise)
        return 0.0 if found is None else float(found)
