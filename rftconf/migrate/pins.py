"""Defaults that changed between two releases and mattered to the run: they are written out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rftconf.convert import Options, convert_loaded, spelt_out
from rftconf.diff.compare import Comparison
from rftconf.errors import RefusedError
from rftconf.ledger import TargetLine
from rftconf.load import Loaded, main_stage
from rftconf.migrate.wanted import Route
from rftconf.schemas import registry, versions
from rftconf.schemas.acceptance import Verdict, judge


@dataclass(frozen=True, slots=True)
class Pin:
    """A key to write, with Hydra's prefix where it needs one. `newest`: what the newest release calls it."""

    key: str
    value: Any
    why: str
    newest: str


def candidates(loaded: Loaded, route: Route, written: Iterable[str], asked: frozenset[str]) -> list[Pin]:
    """Keys that say what the file left to the old release, where the plan was read from one of `asked`.

    First what a conversion to the asked release writes, then what its rows would write for every field of the plan.
    """
    have, found = set(written), dict[str, Pin]()
    for key, value, why in (*_of_lines(loaded, route), *_implied(loaded, route)):
        bare = key.lstrip("+")
        newest = versions.name_in_newest(loaded.framework, bare, route.to, loaded.guess.trainer)
        if bare not in have and bare not in found and _is_asked(newest, asked) and _takes(route, bare, value):
            found[bare] = Pin(key, value, why, newest)
    return list(found.values())


def _takes(route: Route, key: str, value: Any) -> bool:
    """False for a null where the asked release wants a value."""
    known = route.new.get(key)
    return value is not None or (known is not None and known.optional)


def _of_lines(loaded: Loaded, route: Route) -> Iterator[tuple[str, Any, str]]:
    for line in _lines(loaded, route.to):
        for key, value in _leaves(line.key, line.value, route):
            yield key, value, line.comment


def _implied(loaded: Loaded, route: Route) -> Iterator[tuple[str, Any, str]]:
    if route.down:
        return
    old = registry.framework(loaded.framework).title
    for key, value in versions.implied(loaded.framework, loaded.release, route.to, loaded.guess.trainer).items():
        yield key, value, f"what {old} {loaded.release} does without the key"


def _lines(loaded: Loaded, to: str) -> Iterator[TargetLine]:
    for make in (
        lambda: convert_loaded(loaded, loaded.framework, Options(to)).lines,
        lambda: spelt_out(loaded, main_stage(loaded), to) if len(loaded.stages) == 1 else [],
    ):
        try:
            yield from make()
        except RefusedError:
            continue


def _leaves(key: str, value: Any, route: Route) -> Iterator[tuple[str, Any]]:
    """A mapping by its leaves, those that the asked release has by default left out."""
    if not isinstance(value, dict):
        yield key, value
        return
    bare = key.lstrip("+")
    usual = route.new.default(bare)
    for name, item in value.items():
        below = f"{bare}.{name}"
        if isinstance(usual, dict) and name in usual and usual[name] == item:
            continue
        plus = judge(route.new, below, item) in (Verdict.NEEDS_PLUS, Verdict.UNKNOWN)
        yield from _leaves(f"+{below}" if plus else below, item, route)


def _is_asked(newest: str, asked: frozenset[str]) -> bool:
    return newest in asked or any(newest.startswith(f"{key}.") for key in asked)


def looked_at(found: Comparison) -> frozenset[str]:
    """Every key, by its newest name, that a field which differs was read from on either side."""
    keys: set[str] = set()
    for stage in found.stages:
        for one in stage.differences:
            if one.a.value is None:
                continue  # the old release says nothing that could be written out
            for seen in (one.a, one.b):
                keys |= set(seen.said.asked) if seen.said is not None else set()
    return frozenset(keys)
