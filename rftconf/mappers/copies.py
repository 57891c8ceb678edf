"""Shapes for one value in several places: keys that repeat each other, and roles that do as another does."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.shapes import OneField, settle


@record
class Copies(OneField):
    """Keys of one plan field, all of which are written. The first counts, or all have to be on where `every`.

    `differs`: what is said of a copy that has another value, with the first key's in the place of {}. `how`: why the copies
    have to be there; they are then written before the first, even where they are defaults.
    """

    keys: tuple[str, ...]
    path: str
    default: object = None
    every: bool = False
    differs: str = ""
    how: str = ""

    @property
    def natives(self) -> tuple[str, ...]:
        """Return all keys that share the value."""
        return self.keys

    def read(self, r: ReadContext) -> None:
        """Set the field, and record the copies that the plan does not keep."""
        values = [r.native(key, self.default) for key in self.keys]
        value = all(copy is True for copy in values) if self.every else values[0]
        r.set(self.path, value, *self.keys)
        for key in self.keys[1:] if self.differs else ():
            if r.source.knows(key) and r.native(key) != value:
                r.narrowed[key] = self.differs.format(value)

    def write(self, w: WriteContext) -> None:
        """Write the field's value under each key."""
        value = w.plan(self.path)
        keys = (*self.keys[1:], self.keys[0]) if self.how else self.keys
        for key in keys if value is not None else ():
            w.put(key, value, self.path, always=bool(self.how), how=self.how if key != self.keys[0] else "")


@record
class Follower(OneField):
    """A plan field that is as another one, because one key sets both; the other's own row writes the key."""

    path: str
    leader: str
    key: str
    when: When
    as_here: str
    otherwise: str = ""

    def read(self, r: ReadContext) -> None:
        """Set the field as the other, where there is something that it is of."""
        value = r.plan(self.leader)
        if value is not None and self.when.test(r):
            r.set(self.path, value, self.key)

    def write(self, w: WriteContext) -> None:
        """Record whether the source has both alike."""
        value = w.plan(self.path)
        if value is not None:
            same = value == w.plan(self.leader)
            settle(w, self.path, same, self.as_here, self.otherwise, state=State.NO_COUNTERPART)
