"""Looks up what a plan field does to training."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from rftconf.base.older_python import StrEnum
from rftconf.diff.table import ROWS, WHO, Row
from rftconf.plan.field_roles import BOOKKEEPING, MEASUREMENT, PERFORMANCE
from rftconf.plan.identity import effect_of


class Effect(StrEnum):
    """The effect of a difference, from the most important one."""

    MATHEMATICS = "mathematics"
    MEASUREMENT = "measurement"
    PERFORMANCE = "performance"
    BOOKKEEPING = "bookkeeping"


COUNTED = (Effect.MATHEMATICS, Effect.MEASUREMENT, Effect.PERFORMANCE)
"""Effects that make two runs different; names and logging do not."""
_OF_ROLE: Mapping[str, Effect] = {
    "": Effect.MATHEMATICS,
    MEASUREMENT: Effect.MEASUREMENT,
    PERFORMANCE: Effect.PERFORMANCE,
    BOOKKEEPING: Effect.BOOKKEEPING,
}


class Known(NamedTuple):
    """The description of one plan field: its group, its effect and its sentence."""

    group: str
    effect: Effect
    does: str


def known_of(path: str, kind: object) -> Known:
    """Return the description of the field at `path` (indices allowed) in a run of `kind`. Raises KeyError for none."""
    plain = re.sub(r"\[\d+\]", "[]", path)
    row, part = _row_of(plain)
    return Known(row.group, _OF_ROLE[effect_of(path, kind)], row.does.replace("{}", part))


@cache
def _row_of(path: str) -> tuple[Row, str]:
    """The row with the fewest `*` that fits, and what its first one is called."""
    fitting = [(row.fields.count("*"), row, match) for row in ROWS if (match := _pattern(row.fields).fullmatch(path))]
    if not fitting:
        raise KeyError(path)
    _, row, match = min(fitting, key=lambda fit: fit[0])
    part = match[1] if match.groups() else ""
    return row, WHO.get(part, part)


@cache
def _pattern(fields: str) -> re.Pattern[str]:
    return re.compile(re.escape(fields).replace(r"\*", r"(\w+)"))
