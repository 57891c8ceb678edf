"""Conversions within one framework: what is written stays as written."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import OpenKey
from rftconf.mappers.native import Native
from rftconf.mappers.outcomes import Out, Outcome
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import Fold
from rftconf.mappers.writing import Writing
from rftconf.plan.origin import Kind, Origin
from rftconf.schemas import catalogue, registry


def _moved(value: Any, default: Any) -> bool:
    """A default that another release has otherwise; a mandatory key that nobody wrote has none."""
    return value != default and not (value is None and default == "???")


def put_back(extensions: Mapping[str, Any], writing: Writing) -> None:
    """Write what a plan carries of its source's own keys, where the rows say nothing about them."""
    for key, value in extensions.items():
        writing.out.setdefault(key, Out(value, (), always=True))


def keep_as_written(
    source: Native,
    origins: dict[str, Origin],
    writing: Writing,
    left_open: Container[str],
    by_line: tuple[bool, bool],
) -> None:
    """Replace what rows wrote by the file's own keys; rows only pin defaults that changed with the release.

    Config groups are words of the launch line, which the trainer decides. `left_open` are keys whose values could not be
    used: those stay as they are, too. `by_line`: whether the output has a launch line that names the trainer, and whether it
    counts the processes as well; else keys do.
    """
    launched = {word for words in registry.framework(writing.framework).config_groups.values() for word in words}
    written = {key: leaf for key, leaf in source.leaves() if f"{key}={leaf.value}" not in launched}
    plain = {without_indices(key) for key in written}
    folds = [row for row in writing.table.rows if isinstance(row, Fold) and plain & set(row.natives)]
    spoken = {key for row in folds for key in row.natives}
    known = catalogue.load(writing.framework, writing.release, writing.trainer)
    pins = {
        key: replace(out, always=False)
        for key, out in writing.out.items()
        if key in source.cells and key not in written and _moved(source.cells[key].value, known.default(key))
        and without_indices(key) not in spoken and not source.written(key)
    }  # fmt: skip
    reached: dict[str, list[str]] = {}
    for path, origin in origins.items():
        for key in origin.keys:
            reached.setdefault(key, []).append(path)
    outs = {
        key: Out(
            leaf.value if leaf.key in left_open else source.cells[key].value, tuple(reached.get(key, ())), always=True
        )
        for key, leaf in written.items()
    }
    lively = {
        key: replace(out, always=True)
        for key, out in writing.out.items()
        if key not in written and key not in writing.inert and without_indices(key) not in spoken
        and any(_sleeps_there(path, outs, writing.inert) for path in out.plans)
    }  # fmt: skip
    not_here = {
        key: out
        for key, out in writing.out.items()
        if key not in written and isinstance(out.value, OpenKey) and not out.plans
    }
    names_trainer, counts_processes = by_line
    telling = {} if counts_processes else _stated_by_launch_line(written, origins, writing, trainer=not names_trainer)
    writing.out = {**outs, **pins, **lively, **not_here, **telling, **_removed_later(writing, known)}
    for key, out in outs.items():
        for path in out.plans:
            writing.outcomes[path] = Outcome(State.EXACT, (key,))


def _removed_later(writing: Writing, known: catalogue.Catalogue) -> dict[str, Out]:
    """The source's keys that the release which is written has and the newest, in whose names a plan is read, has no more."""
    newest = catalogue.load(writing.framework, None, writing.trainer)
    removed = writing.facts.removed.items()
    return {key: Out(value, (), always=True) for key, value in removed if key in known and key not in newest}


def _stated_by_launch_line(
    written: Container[str], origins: Mapping[str, Origin], writing: Writing, *, trainer: bool
) -> dict[str, Out]:
    """The keys that say what only the launch line said: what a file has written without a key, and the `trainer`."""
    own = registry.framework(writing.framework)
    named = not trainer or writing.backend == own.trainer or any(key in written for key in own.trainer_keys)
    paths = {path for path, origin in origins.items() if origin.kind is Kind.WRITTEN and not origin.keys}
    return {
        key: out
        for key, out in writing.out.items()
        if key not in written
        and (
            not paths.isdisjoint(out.plans) or (not named and key in own.trainer_keys and out.value == writing.backend)
        )
    }


def _sleeps_there(path: str, outs: Mapping[str, Out], inert: Container[str]) -> bool:
    """True where the file has a plan value by keys none of which acts in the release that is written."""
    keys = [key for key, out in outs.items() if path in out.plans]
    return bool(keys) and all(key in inert for key in keys)
