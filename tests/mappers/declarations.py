"""What the tables declare, a line each: units, words, conditions, defaults, what is fixed, what there is no control for.

`python -m tests.mappers.declarations` (`make effects`) writes them to tests/mappers/declared, a file a table. Code is
left out but for its name: what folds compute is judged by what they make of configs.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.rows import Cannot, Each, Fixed, Fold, Row, Table
from rftconf.mappers.tables import all_tables, table_of

FOLDER = Path(__file__).parent / "declared"
LEFT_OUT = ("why", "read", "write")
"""Sentences have tests of their own; functions have no text."""


def lines_of(table: Table) -> Iterator[str]:
    """A line for each thing that a table declares."""
    for row in table.rows:
        for item in row.rows if isinstance(row, Each) else (row,):
            yield (f"{row.native}[]: " if isinstance(row, Each) else "") + text_of(item)
    for cannot in (*table.cannot, *table.unset):
        yield text_of(cannot)


def text_of(row: Row | Fold | Fixed | Cannot) -> str:
    """Every argument of a declaration that is not what it would be by itself."""
    given = {one.name: getattr(row, one.name) for one in fields(row) if one.name not in LEFT_OUT}
    shown = (
        f"{name}={shape(value)}"
        for name, value in given.items()
        if value is not UNSET and value not in (None, False, ())
    )
    return f"{type(row).__name__} " + " ".join(shown)


def shape(value: Any) -> str:
    """A value as text: of an object its type and what it holds, of a function its name."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{shape(key)}: {shape(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(shape, value)) + "]"
    if callable(value) and hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    if not type(value).__module__.startswith("rftconf"):
        return repr(value)
    return f"{type(value).__name__}({', '.join(f'{name}={shape(item)}' for name, item in held_by(value).items())})"


def held_by(value: Any) -> dict[str, Any]:
    """The attributes of one of our own objects."""
    if is_dataclass(value):
        return {one.name: getattr(value, one.name) for one in fields(value)}
    names = (*getattr(value, "__slots__", ()), *getattr(value, "__dict__", ()))
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def file_of(framework: str, kind: str) -> Path:
    """Where the declarations of a table are kept."""
    return FOLDER / f"{'-'.join(filter(None, (framework, kind)))}.txt"


def text_of_table(framework: str, kind: str) -> str:
    """The declarations of a table as its file has them."""
    return "".join(f"{line}\n" for line in lines_of(table_of(framework, kind)))


def main() -> None:
    """Write the files anew."""
    for framework, kind in all_tables():
        file_of(framework, kind).write_text(text_of_table(framework, kind), encoding="utf-8")


if __name__ == "__main__":
    main()
