"""Finds for a name that one framework logs the name that another logs for the same quantity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rftconf.mappers.logged import Counter, Logged, placeholders
from rftconf.metrics.quantity import Quantity, pattern
from rftconf.metrics.table import COUNTERS, QUANTITIES

LONGEST_NAME = 500
"""Characters of a name that may be one of the table; patterns with several gaps take the square of them."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A logged name with its quantity, and what its placeholders stand for."""

    quantity: Quantity
    logged: Logged
    filled: dict[str, str]


def counters_of(framework: str) -> tuple[Counter, ...]:
    """Return the counters that a framework's runs are logged against; several where it has several runs."""
    return tuple(counter for counter in COUNTERS if counter.framework == framework)


def counter_of(framework: str, run: str) -> Counter:
    """Return the counter that one run of a framework is logged against."""
    return next(counter for counter in counters_of(framework) if counter.run == run)


def step_keys(framework: str) -> tuple[str, ...]:
    """Names under which a file of metrics may have the steps."""
    return tuple(dict.fromkeys(key for counter in counters_of(framework) for key in counter.keys))


@lru_cache(maxsize=4096)
def understood(framework: str, name: str) -> NameMatch | None:
    """Return what a framework's name means, or None; a full name counts first, then the pattern of least freedom."""
    if len(name) > LONGEST_NAME:
        return None
    matches = sorted(
        _matches(framework, name), key=lambda match: (len(match.filled), sum(map(len, match.filled.values())))
    )
    return matches[0] if matches else None


def _matches(framework: str, name: str) -> Iterator[NameMatch]:
    for quantity in QUANTITIES:
        logged = quantity.logged.get(framework)
        for spelled in () if logged is None else (logged.name, *(older.name for older in logged.older)):
            matched = pattern(spelled).fullmatch(name)
            if logged is not None and matched is not None:
                yield NameMatch(quantity, logged, matched.groupdict())


def name_in(logged: Logged, framework: str, release: str) -> str:
    """Return the name under which `release` of the framework logs it, "" where it does not log it yet."""
    from rftconf.schemas import registry

    known = registry.framework(framework)
    order = known.releases
    position = order.index(registry.release(known, release))
    for older in sorted((name for name in logged.older if name.until), key=lambda name: order.index(name.until)):
        if position <= order.index(older.until):
            return "" if older.since and position < order.index(older.since) else older.name
    return "" if logged.since and position < order.index(logged.since) else logged.name


def history(logged: Logged, framework: str) -> str:
    """Return what earlier releases call it: `critic/kl until 0.5.2`, `logged since 0.7.1`; "" where nothing changed."""
    names = [
        f"{name.name} from {name.since} until {name.until}" if name.since else f"{name.name} until {name.until}"
        for name in logged.older
        if name.until
    ]
    if logged.since:
        from rftconf.schemas import registry

        order = registry.framework(framework).releases
        before = order[order.index(logged.since) - 1]
        names += [] if before in {name.until for name in logged.older} else [f"under its name since {logged.since}"]
    return "; ".join(names)


def name_for(match: NameMatch, framework: str, release: str = "") -> tuple[str, str]:
    """The name that `framework` (in `release`, else in its newest) has for it, or "" and the sentence why there is none."""
    theirs = match.quantity.logged.get(framework)
    if theirs is None:
        return "", "logs nothing like it"
    name = name_in(theirs, framework, release) if release else theirs.name
    if not name:
        return "", f"{release} logs nothing like it; {theirs.since} does"
    lacking = [part for part in placeholders(name) if part not in match.filled]
    if lacking:
        return "", f"calls it {name}, and this does not tell {', '.join(lacking)}"
    return name.format_map(match.filled), ""
