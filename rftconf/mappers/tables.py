"""Finds a framework's table by name, and what becomes of a key without a row."""

from __future__ import annotations

import importlib
from functools import cache

from rftconf.mappers.paths import fits, without_indices
from rftconf.mappers.rows import Reason, Table

_TABLES = {"verl": ("rftconf.mappers.verl.table", "VERL"), "trinity": ("rftconf.mappers.trinity.table", "TRINITY")}


@cache
def table_of(framework: str) -> Table:
    """The table of a framework; imported when first asked for."""
    module, name = _TABLES[framework]
    table: Table = getattr(importlib.import_module(module), name)
    return table


def reason_for(table: Table, key: str) -> Reason | None:
    """The first reason whose pattern fits `key`, or None."""
    plain = without_indices(key)
    return next((reason for reason in table.reasons if fits(plain, reason.keys)), None)
