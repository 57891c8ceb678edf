"""What a logged quantity is: one meaning, and the name that each framework logs it under."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from rftconf.base.errors import UsageError
from rftconf.plan.units import Unit

RUNNER = "runner"
"""Our own runner, which is no framework with configs."""
TRAINER, EXPLORER = "trainer", "explorer"
"""Trinity's two processes; each logs to a run of its own."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Older(NamedTuple):
    """A name of earlier releases, up to and with `until`; without one, of other pipelines of the same release.

    `text` is what stands in the code where that is not the name itself; releases before `since` logged nothing like it.
    """

    name: str
    until: str = ""
    text: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Logged:
    """How one framework logs a quantity. `{source}` and the like in a name stand for what a run fills in.

    `file` and `function` are where it is logged in the release that was read, `text` what stands there where that is not
    the name itself. `differs` says why the value is not the same number as elsewhere. `older` are names of earlier
    releases and other pipelines, `since` is the first catalogued release that logs it under its name of today, `package`
    the framework whose code it is where one runs another's trainer. `behind` is by how many rollout periods the weights
    that are measured are older than the step they are logged at.
    """

    name: str
    file: str
    function: str
    differs: str = ""
    text: str = ""
    run: str = ""
    older: tuple[Older, ...] = ()
    package: str = ""
    behind: int = 0
    since: str = ""

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names in braces."""
        return placeholders(self.name)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity: what it is, its unit, and who logs it how."""

    says: str
    unit: str
    logged: Mapping[str, Logged] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Counter:
    """What a run's metrics are logged against: the unit of its steps, and the number of the first one.

    `keys` are the names that its steps have in a file of metrics, the usual one first.
    """

    framework: str
    run: str
    unit: Unit
    first: int
    keys: tuple[str, ...]
    why: str


def placeholders(name: str) -> tuple[str, ...]:
    """The names in braces."""
    return tuple(_PLACEHOLDER.findall(name))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A name with placeholders as a pattern with groups; a placeholder takes anything, the first one as much as it can."""
    parts = _PLACEHOLDER.split(name)
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
    """What people call a framework or the runner."""
    from rftconf.schemas import registry

    return "our runner" if name == RUNNER else registry.framework(name).title
