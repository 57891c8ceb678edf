"""Configs with nothing but the keys that totals ask for, so that a million cases take an hour and not a day.

Which keys those are is learnt from whole configs. A key that was never asked for raises `UnlearntError` instead of looking
absent; the case is then done over with the whole config.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from rftconf.effective import effective
from rftconf.mappers.native import Cell, Native
from rftconf.schemas import versions
from rftconf.schemas.guess import Guess
from rftconf.text.document import Leaf
from tests.laws.round_trips import HERE

ALWAYS = ".device_mapping"
"""ROLL looks through all keys for these."""


class UnlearntError(LookupError):
    """A key that no case before has asked for."""


class Watched(Native):
    """A config that remembers what it was asked for."""

    learnt: set[str]
    lean = False

    def _asked(self, key: str) -> None:
        if key not in self.learnt:
            if self.lean:
                raise UnlearntError(key)
            self.learnt.add(key)

    def value(self, key: str, otherwise: Any = None) -> Any:
        self._asked(key)
        return super().value(key, otherwise)

    def branch(self, key: str) -> dict[str, Any]:
        self._asked(key)
        return super().branch(key)

    def written(self, key: str) -> bool:
        self._asked(key)
        return super().written(key)

    def knows(self, key: str) -> bool:
        self._asked(key)
        return super().knows(key)

    def count(self, key: str) -> int:
        self._asked(key)
        return super().count(key)


class Configs:
    """Makes configs of written keys over a release's defaults: whole ones, or lean ones once enough was learnt."""

    def __init__(self) -> None:
        self.lean = False
        self.learnt: dict[str, set[str]] = {}
        self._known = 0
        self._kept: dict[tuple[str, str], bool] = {}
        self._defaults: dict[tuple[str, str, str], dict[str, Cell]] = {}

    def learn(self, *, on: bool) -> None:
        """Whole configs while on; what is kept of lean ones is looked up anew where something was learnt."""
        self.lean = not on
        known = sum(map(len, self.learnt.values()))
        if self.lean and known != self._known:
            self._known = known
            self._kept.clear()
            self._defaults.clear()

    def of(self, framework: str, release: str, trainer: str, flat: Mapping[str, Any]) -> Native:
        """Written keys over the release's own defaults, which keep out of their way."""
        asked = self.learnt.setdefault(framework, set())
        cells = dict(self._defaults_of(framework, release, trainer))
        for key, value in flat.items():
            if self.lean and not self._keeps(framework, key):
                continue
            end = key.rfind(".")
            while end > 0:
                cells.pop(key[:end], None)
                end = key.rfind(".", 0, end)
            cells[key] = Cell(value, Leaf(key, value, HERE, HERE, str(value)))
        found = Watched(framework, release, trainer, cells, versions.defaults(framework, release, trainer))
        found.learnt, found.lean = asked, self.lean
        return found

    def _keeps(self, framework: str, key: str) -> bool:
        """True for a key that was asked for, one above it or one below it."""
        known = self._kept.get((framework, key))
        if known is None:
            asked = self.learnt[framework]
            known = key.endswith(ALWAYS) or any(_related(key, other) for other in asked)
            self._kept[framework, key] = known
        return known

    def _defaults_of(self, framework: str, release: str, trainer: str) -> Mapping[str, Cell]:
        at, whole = (framework, release, trainer), _defaults(framework, release, trainer)
        if not self.lean:
            return whole
        if at not in self._defaults:
            self._defaults[at] = {key: cell for key, cell in whole.items() if self._keeps(framework, key)}
        return self._defaults[at]


def _related(key: str, other: str) -> bool:
    return key == other or key.startswith((other + ".", other + "[")) or other.startswith((key + ".", key + "["))


@lru_cache(maxsize=64)
def _defaults(framework: str, release: str, trainer: str) -> Mapping[str, Cell]:
    """The cells of an empty file."""
    native, _ = effective(Guess(framework, release, trainer, (), certain=True), {})
    return native.cells
