"""A logged quantity has one meaning, and the name that each framework logs it under."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from rftconf.base.errors import UsageError
from rftconf.mappers.logged import PLACEHOLDER, Logged

RUNNER = "runner"
"""Our own runner, which is no framework with configs."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity: what it is, its unit, and who logs it how."""

    says: str
    unit: str
    logged: Mapping[str, Logged] = field(default_factory=dict)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A name with placeholders as a pattern with groups; a placeholder takes anything, the first one as much as it can."""
    parts = PLACEHOLDER.split(name)
    text = "".join(f"(?P<{part}>.+)" if index % 2 else re.escape(part) for index, part in enumerate(parts))
    return re.compile(text)


def side(name: str) -> str:
    """The framework's name as tables have it, or `runner`. Raises UsageError for any other."""
    from rftconf.schemas import registry

    if name.strip().lower() in (RUNNER, "rftconf", "rftconf_runner"):
        return RUNNER
    try:
        return registry.framework(name).family
    except UsageError as error:
        raise UsageError(f"{error}, {RUNNER}") from None


def title(name: str) -> str:
    """Return the name that people use for a framework or the runner."""
    from rftconf.schemas import registry

    return "our runner" if name == RUNNER else registry.framework(name).title
