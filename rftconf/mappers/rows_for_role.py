"""Rows that are the same for several roles: declared once for a block, then placed under each role."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rftconf.mappers.context import When
from rftconf.mappers.rows import Row


def rows_for_role(
    rows: Iterable[Row], *, native: str, plan: str, when: When | None = None, skip: tuple[str, ...] = ()
) -> tuple[Row, ...]:
    """`rows` with both paths prefixed; `when` is added to each, `skip` names native fields that this block lacks."""
    return tuple(
        replace(row, native=f"{native}.{row.native}", plan=f"{plan}.{row.plan}", when=both(row.when, when))
        for row in rows
        if row.native not in skip
    )


def both(first: When | None, second: When | None) -> When | None:
    """A condition that holds when both do."""
    if first is None or second is None:
        return first or second
    return When(lambda c: second.test(c) and first.test(c), f"{second.otherwise}, or {first.otherwise}")
