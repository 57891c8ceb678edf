"""This module has the types for how a framework logs what a run measures: a name, where its code logs it, what its steps count."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from rftconf.plan.units import Unit

PLACEHOLDER = re.compile(r"\{(\w+)\}")


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
    """One framework logs a quantity so. `{source}` and the like in a name stand for what a run fills in.

    `file` and `function` are where it is logged in the release that was read, `text` what stands there where that is not
    the name itself. `differs` says why the value is not the same number as elsewhere. `older` are names of earlier
    releases and other pipelines, `since` is the first catalogued release that logs it under its name of today,
    `package_release` the release of the package that has the code, where that is another's and the framework pins none.
    `behind` is by how many rollout periods the weights that are measured are older than the step they are logged at.
    """

    name: str
    file: str
    function: str
    differs: str = ""
    text: str = ""
    run: str = ""
    older: tuple[Older, ...] = ()
    package_release: str = ""
    behind: int = 0
    since: str = ""

    @property
    def package(self) -> str:
        """The package whose code logs it; another than the framework's own where that runs another's trainer."""
        return self.file.partition("/")[0]

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Return the names that stand in braces."""
        return placeholders(self.name)


@dataclass(frozen=True, slots=True)
class Counter:
    """A run's metrics are logged against this: the unit of its steps, and the number of the first one.

    `keys` are the names that its steps have in a file of metrics, the usual one first.
    """

    framework: str
    run: str
    unit: Unit
    first: int
    keys: tuple[str, ...]
    why: str


def placeholders(name: str) -> tuple[str, ...]:
    """Return the names that stand in braces."""
    return tuple(PLACEHOLDER.findall(name))


_STATISTICS = {"mean": "mean", "largest": "max", "smallest": "min"}


def by_statistic(log: Callable[..., Logged], quantity: str, name: str, *where: str) -> dict[str, Logged]:
    """Return what `log` makes of a quantity's mean, largest and smallest value, whose names end in mean, max and min."""
    return {f"{word} {quantity}": log(f"{name}/{end}", *where) for word, end in _STATISTICS.items()}
