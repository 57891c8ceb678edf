"""Shapes for what a kind of run states whatever the plan says: keys with one value, questions, and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import MISSING
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import OneSided


@record
class Means:
    """Keys that together mean one word of a plan field. `how` says why a key has to be there."""

    path: str
    word: str
    keys: Mapping[str, Any]
    how: Mapping[str, str] = field(default_factory=dict)

    @property
    def natives(self) -> tuple[str, ...]:
        """The keys, of which the first tells the word."""
        return tuple(self.keys)

    @property
    def plans(self) -> tuple[str, ...]:
        """The plan field."""
        return (self.path,)

    def read(self, r: ReadContext) -> None:
        """Set the field to the word."""
        r.set(self.path, self.word, self.natives[0])

    def write(self, w: WriteContext) -> None:
        """Write every key."""
        for key, value in self.keys.items():
            w.put(key, value, self.path, always=True, how=self.how.get(key, ""))


@record
class Stated(OneSided):
    """A key that the framework needs in such a run, and that no plan field stands for; its own files say it themselves."""

    key: str
    value: Any
    how: str

    def write(self, w: WriteContext) -> None:
        """Write the key for a plan that came from another framework."""
        if not w.same_framework:
            w.put(self.key, self.value, always=True, how=self.how)


@record
class Asked(OneSided):
    """A key that the framework needs, beside its `Pair`: a person is asked where the plan field has no value."""

    key: str
    path: str
    why: str
    choices: tuple[str, ...]

    def write(self, w: WriteContext) -> None:
        """Leave the key open."""
        if w.plan(self.path) is None:
            w.put(self.key, MISSING, self.path, state=State.UNRESOLVED, note=self.why, always=True)
            w.decide(self.key, self.why, *self.choices)


@record
class Noted(OneSided):
    """A sentence about a config of which something holds."""

    holds: Callable[[ReadContext], bool]
    sentence: str

    def read(self, r: ReadContext) -> None:
        """Note the sentence."""
        if self.holds(r):
            r.note(self.sentence)
