"""Facts about a framework's keys that its tables do not hold: each framework has one module `profile.py`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Protocol

from rftconf.base.record import record
from rftconf.mappers.program import Program
from rftconf.schemas import registry
from rftconf.schemas.framework import Framework

if TYPE_CHECKING:
    from rftconf.mappers.adapting import Adapter
    from rftconf.mappers.logged import Counter, Logged


@record
class Profile:
    """Facts about one framework's keys; each is declared here once, whoever asks for it.

    `tables`: a framework or program of its own, and the kind of run where one config means different things by kind, to the
    module of the framework's folder and the name of the table in it. `gates`: there is a module `gates` with what its keys
    switch on and off. `main_keys`: the key that a person looks for under a plan field, where several keys and fields only
    mean something together. `units`: what keys count whose rows are folds, where no codec says it. `parameters`: keys that
    stand for a parameter of the studio's form without standing for the same one plan field. `adapter`: there is a module
    `adapter` with how its rows and rewards are converted. `metrics`: there is a module `metrics` with the names it logs.
    `program`: what a new config needs; without one `rftconf new` writes none. `validates_last_before`: the release before
    which a run with a validation set validates after its last step, even where it does at no other time.
    """

    tables: Mapping[tuple[str, str], tuple[str, str]]
    gates: bool = False
    adapter: bool = False
    metrics: bool = False
    program: Program | None = None
    validates_last_before: str = ""
    main_keys: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def profile_of(family: str) -> Profile:
    """Return a framework's profile; it is imported when first asked for."""
    profile: Profile = importlib.import_module(f"rftconf.mappers.{family}.profile").PROFILE
    return profile


@cache
def adapter_of(family: str) -> Adapter | None:
    """Return how a framework's rows and rewards are converted; None where nobody knows."""
    if not profile_of(family).adapter:
        return None
    adapter: Adapter = importlib.import_module(f"rftconf.mappers.{family}.adapter").ADAPTER
    return adapter


class OwnNames(Protocol):
    """A framework's module `metrics` holds this: a counter of steps for each of its runs, and the name of each quantity."""

    COUNTERS: tuple[Counter, ...]
    LOGGED: Mapping[str, Logged]


@cache
def metrics_of(family: str) -> OwnNames | None:
    """Return the names under which a framework logs; None where nobody has looked them up."""
    if not profile_of(family).metrics:
        return None
    names: OwnNames = importlib.import_module(f"rftconf.mappers.{family}.metrics")
    return names


def with_programs() -> tuple[Framework, ...]:
    """The frameworks for which a first config is written, in the registry's order."""
    return tuple(known for known in registry.FRAMEWORKS.values() if profile_of(known.name).program is not None)


def main_keys_of(framework: str) -> Mapping[str, str]:
    """Return the main keys of a framework; a program with a config of its own has none."""
    return {} if registry.framework(framework).of else profile_of(framework).main_keys


def families() -> tuple[str, ...]:
    """The frameworks that have tables, in the registry's order; a program's own config belongs to one of them."""
    return tuple(dict.fromkeys(known.family for known in registry.variants()))


def counted(unit: str, *keys: str) -> dict[str, str]:
    """Give several keys the unit that they count in."""
    return dict.fromkeys(keys, unit)


def below(node: str, *names: str) -> tuple[str, ...]:
    """Name several keys of one node."""
    return tuple(f"{node}.{name}" for name in names)
