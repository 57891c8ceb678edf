"""Counts the folds that are written by hand: reading and writing are two functions there, not one declaration.

python scripts/hand_written_folds.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

MAPPERS = Path(__file__).parents[1] / "rftconf" / "mappers"
MAKERS = ("Fold", "only_written")
"""Calls that take functions for a direction."""
ENGINE = ("rows.py", "shapes.py")
"""Modules that define these calls, and declare nothing with them."""


def hand_written_folds() -> Iterator[tuple[str, int]]:
    """Name the module and the line of each fold that is made of functions; one in a function counts once."""
    for path in sorted(MAPPERS.rglob("*.py")):
        if path.parent == MAPPERS and path.name in ENGINE:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name_of(node.func) in MAKERS:
                yield str(path.relative_to(MAPPERS)), node.lineno


def _name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def main() -> None:
    """Print how many folds each module writes by hand, and how many lines the mappers have."""
    counts: dict[str, int] = {}
    for module, _ in hand_written_folds():
        counts[module] = counts.get(module, 0) + 1
    for module, count in counts.items():
        print(f"{count:4}  {module}")
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in MAPPERS.rglob("*.py"))
    print(f"{sum(counts.values()):4}  in all, in {lines} lines of mappers")


if __name__ == "__main__":
    main()
