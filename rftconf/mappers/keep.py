"""Conversions within one framework: what is written stays as written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rftconf.ledger import State
from rftconf.mappers.native import Native
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import Fold
from rftconf.mappers.writing import Out, Outcome, Writing
from rftconf.plan.origin import Origin
from rftconf.schemas import catalogue, registry


def _moved(value: Any, default: Any) -> bool:
    """A default that another release has otherwise; a mandatory key that nobody wrote has none."""
    return value != default and not (value is None and default == "???")


def keep_as_written(source: Native, origins: dict[str, Origin], writing: Writing, secrets: frozenset[str]) -> None:
    """Replace what rows wrote by the file's own keys; rows only pin defaults that changed with the release.

    Config groups are words of the launch line, which the trainer decides.
    """
    groups = registry.framework(writing.framework).groups
    written = {key: leaf for key, leaf in source.leaves() if leaf.key not in secrets and key not in groups}
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
    kept = {key: Out(source.cells[key].value, tuple(reached.get(key, ())), always=True) for key in written}
    writing.out = {**kept, **pins}
    for key, out in kept.items():
        for path in out.plans:
            writing.outcomes[path] = Outcome(State.EXACT, (key,))
