"""Reads values of a plan that may be symbols: collects what is unknown instead of guessing."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.base.symbols import Expr, formula, names_in
from rftconf.plan.options import OPTIONS


@dataclass(slots=True)
class Values:
    """`unknown` maps what is needed to its formula; `notes` are assumptions to tell."""

    unknown: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    options: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def count(self, value: Any, name: str, *, needed: bool = True, option: str = "") -> int | None:
        """A whole number above 0, or None where the plan has none. Symbols are remembered; fractions are rounded up.

        Raises UsageError for zero and negative sizes.
        """
        if isinstance(value, Expr):
            self.unknown[name] = formula(value)
            self.names |= names_in(value)
            if option:
                self.options[name] = option
            return None
        if value is None or (value == -1 and not needed):
            return None
        if isinstance(value, (str, Fraction)):
            value = ceil(Fraction(value))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        if value <= 0:
            if needed or value < 0:
                raise UsageError(f"{name} is {value}: a size is a number above 0")
            return None
        return ceil(value)

    def text(self, value: Any) -> str | None:
        """A known text, else None."""
        return value if isinstance(value, str) else None

    def spelled(self, value: Any) -> str:
        """A text, or the formula of a symbol around it: `$HOME/models/Qwen3-8B` still names its model."""
        if isinstance(value, Expr):
            return formula(value)
        return value if isinstance(value, str) else ""

    def note(self, text: str) -> None:
        """Remember an assumption."""
        self.notes.append(text)

    def refuse_unknown(self) -> None:
        """Raise UsageError naming everything that is symbolic, and the options that give it."""
        if not self.unknown:
            return
        what = ", ".join(f"{name} = {text}" for name, text in sorted(self.unknown.items()))
        own = (OPTIONS[name] for name in self.names if name in OPTIONS)
        options = [*sorted({*self.options.values(), *own})]
        binds = [f"--set {name}=…" for name in sorted(self.names) if not name.isdigit() and name not in OPTIONS]
        binds += ['--args "…"'] if any(name.isdigit() for name in self.names) else []
        ways = " or ".join(part for part in (" ".join(options), " ".join(binds)) if part)
        raise UsageError(f"the file does not tell {what}: pass {ways}")


DTYPE_BYTES = {
    "fp32": 4,
    "float32": 4,
    "float": 4,
    "bf16": 2,
    "bfloat16": 2,
    "fp16": 2,
    "float16": 2,
    "half": 2,
    "fp8": 1,
}


def shared_size(gpus: Any, layout: str) -> Any:
    """A role's GPUs; where all share the cluster, a symbol for them is the cluster's size again."""
    return None if layout == "colocated" and isinstance(gpus, Expr) else gpus
