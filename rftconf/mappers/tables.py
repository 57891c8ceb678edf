"""Finds a framework's table by name, and what becomes of a key without a row."""

from __future__ import annotations

import importlib
from functools import cache

from rftconf.mappers.gates import Gates
from rftconf.mappers.paths import first_name, fits, without_indices
from rftconf.mappers.profiles import families, profile_of
from rftconf.mappers.rows import Reason, Table
from rftconf.schemas import registry
from rftconf.schemas.registry import at_least

_MOST_KEPT = 20_000
"""Keys whose reasons are remembered; files with made-up keys must not fill the memory."""


@cache
def table_of(framework: str, kind: str | None = None) -> Table:
    """The table of a framework, for runs of `kind` where that has one of its own; imported when first asked for."""
    family = registry.framework(framework).family
    tables = profile_of(family).tables
    module, name = tables.get((framework, kind or ""), tables[framework, ""])
    table: Table = getattr(importlib.import_module(f"rftconf.mappers.{family}.{module}"), name)
    return table


@cache
def gates_of(family: str) -> Gates:
    """Return the keys that a framework switches on and off and that the plan does not know; they are imported when first asked for."""
    if not profile_of(family).gates:
        return Gates()
    gates: Gates = importlib.import_module(f"rftconf.mappers.{family}.gates").GATES
    return gates


def all_tables() -> tuple[tuple[str, str], ...]:
    """Framework and kind of every table, for tests and generated pages."""
    return tuple(names for family in families() for names in profile_of(family).tables)


def reason_for(table: Table, key: str, release: str | None) -> Reason | None:
    """The first reason that fits `key` in a config of `release`, or None. No release: the newest."""
    plain = without_indices(key)
    query = (plain, release)
    if query not in table.reasoned:
        if len(table.reasoned) >= _MOST_KEPT:
            table.reasoned.clear()
            table.near.clear()
        section = plain.partition(".")[0]
        if section not in table.near:
            table.near[section] = _reasons_of_section(table, section)
        reasons = (reason for reason in table.near[section] if fits(plain, reason.keys))
        table.reasoned[query] = next((reason for reason in reasons if _holds(table, reason, release)), None)
    return table.reasoned[query]


def _holds(table: Table, reason: Reason, release: str | None) -> bool:
    return not reason.since or release is None or at_least(table.framework, release, reason.since)


def _reasons_of_section(table: Table, section: str) -> tuple[Reason, ...]:
    """The reasons whose pattern may fit a key of `section`."""
    if not table.begins:
        for place, reason in enumerate(table.reasons):
            name, whole = first_name(reason.keys)
            table.begins.setdefault(name if whole else "", []).append((place, name, reason))
    own = table.begins.get(section, [])
    other = [entry for entry in table.begins.get("", []) if section.startswith(entry[1])]
    return tuple(reason for _, _, reason in sorted([*own, *other], key=lambda entry: entry[0]))
