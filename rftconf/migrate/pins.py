"""Defaults that changed between two releases and mattered to the run: they are written out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rftconf.convert import Options, convert_loaded
from rftconf.diff.compare import Comparison
from rftconf.errors import RefusedError
from rftconf.load import Loaded
from rftconf.schemas import versions


@dataclass(frozen=True, slots=True)
class Pin:
    """A key to write, with Hydra's prefix where it needs one. `newest`: what the newest release calls it."""

    key: str
    value: Any
    why: str
    newest: str


def candidates(loaded: Loaded, to: str, written: Iterable[str]) -> list[Pin]:
    """What a conversion to `to` writes that the file does not: the old release's defaults under the new one's names."""
    try:
        lines = convert_loaded(loaded, loaded.framework, Options(to)).lines
    except RefusedError:
        return []
    have = set(written)
    trainer = loaded.guess.trainer
    return [
        Pin(
            line.key,
            line.value,
            line.comment,
            versions.name_in_newest(loaded.framework, bare, to, trainer),
        )
        for line in lines
        if (bare := line.key.lstrip("+")) not in have
    ]


def looked_at(found: Comparison) -> frozenset[str]:
    """Every key, by its newest name, that a field which differs was read from on either side."""
    keys: set[str] = set()
    for stage in found.stages:
        for one in stage.differences:
            for seen in (one.a, one.b):
                keys |= set(seen.said.asked) if seen.said is not None else set()
    return frozenset(keys)
