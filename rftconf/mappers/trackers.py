"""Shapes for trackers: frameworks with a key for each, and frameworks that keep one by its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import OneField, leave_open

CONSOLE = "console"
UNTOLD = "which tracker is a value the source does not tell"


def listed_trackers(w: WriteContext, path: str) -> list[Any]:
    """Return the plan's trackers as a list, where a single name is one as well."""
    named = w.plan(path)
    return named if isinstance(named, list) else [] if named is None else [named]


@record
class TrackerKeys:
    """Trackers with a key each, beside the console, which is always there.

    `keys`: tracker to key. A key that is a switch is true or false; a tracker that `values` names is there where its key
    has a value that is not empty, and this value is written. `how`: what is said of such a value. `title`: how sentences call the framework.
    """

    title: str
    keys: Mapping[str, str]
    values: Mapping[str, Any] = field(default_factory=dict)
    how: Mapping[str, str] = field(default_factory=dict)
    path: ClassVar[str] = "identity.loggers"
    plans: ClassVar[tuple[str, ...]] = ("identity.loggers",)

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the keys of all trackers."""
        return tuple(self.keys.values())

    def read(self, r: ReadContext) -> None:
        """Set the console, and each tracker that is there."""
        names = [name for name, key in self.keys.items() if self._acts(name, r.native(key))]
        r.set(self.path, [CONSOLE, *names], *self.natives)

    def _acts(self, name: str, value: Any) -> bool:
        return value not in (None, "") if name in self.values else value is True

    def write(self, w: WriteContext) -> None:
        """Write the key of each tracker that the plan names; a file of the same framework has its values already."""
        named = listed_trackers(w, self.path)
        if any(isinstance(name, Expr) for name in named):
            leave_open(w, next(iter(self.keys.values())), UNTOLD, self.path)
            return
        lost = ", ".join(str(name) for name in named if name not in (CONSOLE, *self.keys))
        note = f"{self.title} tracks with {' and '.join(self.keys)}; lost: {lost}" if lost else ""
        state = State.NARROWED if lost else State.EXACT
        for name, key in self.keys.items() if named else ():
            self._write_one(w, name, key, on=name in named, state=state, note=note)
        if named and self.path not in w.outcomes and not any(self.path in out.plans for out in w.out.values()):
            w.lose(self.path, state if lost else State.DEFAULT, note or "the console is always there")

    def _write_one(self, w: WriteContext, name: str, key: str, *, on: bool, state: State, note: str) -> None:
        if name not in self.values:
            w.put(key, on, self.path, state=state, note=note, always=on)
        elif on and w.same_framework:
            w.lose(self.path, State.DERIVED, "as its keys say")
        elif on:
            how = self.how.get(name, "")
            w.put(key, self.values[name], self.path, state=state, note=note, always=True, how=how)


@record
class OneTracker(OneField):
    """The key of the one tracker that a framework keeps. `console`: its word for the console, where it has one."""

    key: str
    title: str
    known: tuple[str, ...]
    usual: str = "tensorboard"
    console: str = ""
    path: str = "identity.loggers"

    def read(self, r: ReadContext) -> None:
        """Set the one tracker."""
        kind = r.native(self.key, self.usual)
        r.set(self.path, [CONSOLE if self.console and kind == self.console else kind], self.key)

    def write(self, w: WriteContext) -> None:
        """Write the first tracker that is not the console."""
        listed = listed_trackers(w, self.path)
        if any(isinstance(name, Expr) for name in listed):
            leave_open(w, self.key, UNTOLD, self.path)
        elif self.console and listed == [CONSOLE]:
            w.put(self.key, self.console, self.path, always=True)
        elif listed:
            self._write_first(w, listed)

    def _write_first(self, w: WriteContext, listed: list[Any]) -> None:
        trackers = [name for name in listed if name in self.known]
        others = [name for name in listed if name not in self.known and name != CONSOLE]
        lost = ", ".join(map(str, [*trackers[1:], *others]))
        note = f"{self.title} keeps one tracker; lost: {lost}" if lost else ""
        if not trackers:
            named = ", ".join(map(str, listed))
            note = f"{self.title} tracks with {', '.join(self.known)}; {named} became {self.usual}"
        w.put(self.key, trackers[0] if trackers else self.usual, self.path, note=note, always=True)
