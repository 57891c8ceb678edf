"""From a name that one framework logs to the name that another logs for the same quantity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rftconf.metrics.quantity import Counter, Logged, Quantity, pattern
from rftconf.metrics.table import COUNTERS, QUANTITIES


@dataclass(frozen=True, slots=True)
class Found:
    """A logged name with its quantity, and what its placeholders stand for."""

    quantity: Quantity
    logged: Logged
    filled: dict[str, str]


def counters_of(framework: str) -> tuple[Counter, ...]:
    """What a framework's runs are logged against; several where it has several runs."""
    return tuple(one for one in COUNTERS if one.framework == framework)


def counter_of(framework: str, run: str) -> Counter:
    """The counter of one run."""
    return next(one for one in counters_of(framework) if one.run == run)


def step_keys(framework: str) -> tuple[str, ...]:
    """Names under which a file of metrics may have the steps."""
    return tuple(dict.fromkeys(key for one in counters_of(framework) for key in one.keys))


def understood(framework: str, name: str) -> Found | None:
    """What a framework's name means; a name in full counts before a pattern, a pattern with less freedom before others."""
    found = sorted(_matches(framework, name), key=lambda one: (len(one.filled), sum(map(len, one.filled.values()))))
    return found[0] if found else None


def _matches(framework: str, name: str) -> Iterator[Found]:
    for quantity in QUANTITIES:
        logged = quantity.logged.get(framework)
        for spelled in () if logged is None else (logged.name, *logged.older):
            matched = pattern(spelled).fullmatch(name)
            if logged is not None and matched is not None:
                yield Found(quantity, logged, matched.groupdict())


def name_for(found: Found, framework: str) -> tuple[str, str]:
    """The name that `framework` has for it, or "" and the sentence why there is none."""
    theirs = found.quantity.logged.get(framework)
    if theirs is None:
        return "", "logs nothing like it"
    lacking = [part for part in theirs.placeholders if part not in found.filled]
    if lacking:
        return "", f"calls it {theirs.name}, and this does not tell {', '.join(lacking)}"
    return theirs.name.format_map(found.filled), ""
