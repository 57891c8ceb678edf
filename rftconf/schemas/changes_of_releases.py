"""The changes between the releases of a framework; each framework states them in `schemas/<name>/versions.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache
from importlib import import_module

from rftconf.base.record import record
from rftconf.base.symbols import Value
from rftconf.schemas.edits import Edit


@record
class Changes:
    """The changes between the releases of one framework. Names of releases are those of the registry.

    `edits(release, trainer)` lead from a release to the next one. `aliases` are deprecated names that the newest release still
    takes, `trainer_aliases` those that one trainer takes. `unreleased` are names that its main branch had between two releases.
    `dead` are keys that a release accepts and ignores, with why; `refused` the values that it no longer takes. `implied` says
    what a release does without keys of the next one, by release and trainer ("" for all of them). `settled` are keys of which a
    release takes the default alone, `per_rank` counts per rank by the keys that were counts over all ranks before, and
    `asked_for` keys that its code wants and its own config lacks.
    """

    edits: Callable[[str, str], tuple[Edit, ...]]
    aliases: tuple[Edit, ...] = ()
    trainer_aliases: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)
    unreleased: tuple[Edit, ...] = ()
    dead: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    refused: Mapping[str, Mapping[str, tuple[Value, ...]]] = field(default_factory=dict)
    implied: Mapping[tuple[str, str], Mapping[str, Value]] = field(default_factory=dict)
    settled: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    per_rank: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    asked_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def changes_of(framework: str) -> Changes:
    """The changes of a framework of the registry; its module is imported when it is first asked for."""
    changes: Changes = import_module(f"rftconf.schemas.{framework}.versions").CHANGES
    return changes
