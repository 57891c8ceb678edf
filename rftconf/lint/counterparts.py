"""What one framework's key is called in another, read off the plan fields that both tables speak for."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=16)
def counterparts(theirs: str, ours: str) -> dict[str, str]:
    """Keys of framework `theirs` to the key of `ours` for the same plan field; the main key where there are several."""
    here: dict[str, str] = {}
    for native, plan in _pairs(ours):
        here.setdefault(plan, native)
    found: dict[str, str] = {}
    for native, plan in _pairs(theirs):
        if plan in here:
            found.setdefault(native, here[plan])
    return found


def _pairs(framework: str) -> list[tuple[str, str]]:
    """Native keys and the plan fields that they speak for: a row's own first, then aliases, then what rows share."""
    from rftconf.mappers.rows import Each, Fold, Row, natives_of, plans_of
    from rftconf.mappers.tables import table_of

    table = table_of(framework)
    ranked: list[tuple[int, str, str]] = []
    for row in table.rows:
        if isinstance(row, Row):
            ranked.append((int(row.alias or row.read_only), row.native, row.plan))
        elif isinstance(row, Each):
            ranked += [(0, native, plan) for native, plan in zip(natives_of(row), plans_of(row), strict=True)]
        elif isinstance(row, Fold):
            ranked += [(2, native, plan) for native in row.natives for plan in row.plans]
    return [(native, plan) for _, native, plan in sorted(ranked, key=lambda entry: entry[0])]
