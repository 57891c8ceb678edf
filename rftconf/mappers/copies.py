"""Shapes for one value in several places: keys that repeat each other, and roles that do as another does."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.shapes import OneField, OneSided, lose_known, settle


@record
class Copies(OneField):
    """Keys of one plan field, all of which are written. The first counts, or all have to be on where `every`.

    `differs`: what is said of a copy that has another value, with the first key's in the place of {}. `how`: why the copies
    have to be there; they are then written before the first, even where they are defaults.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("keys",)
    keys: tuple[str, ...]
    path: str
    default: object = None
    every: bool = False
    differs: str = ""
    how: str = ""

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
class Items(OneField):
    """Keys that are the items of one list of the plan, in their order."""

    KEYS: ClassVar[tuple[str, ...]] = ("keys",)
    keys: tuple[str, ...]
    path: str

    def read(self, r: ReadContext) -> None:
        """Set the list."""
        r.set(self.path, [r.native(key) for key in self.keys], *self.keys)

    def write(self, w: WriteContext) -> None:
        """Write each item, where the plan has as many."""
        items = w.plan(self.path)
        if isinstance(items, list) and len(items) == len(self.keys):
            for key, item in zip(self.keys, items, strict=True):
                w.put(key, item, self.path)
        else:
            note = f"the source does not tell what {' and '.join(self.keys)} are"
            lose_known(w, State.UNRESOLVED, note, self.path)


@record
class AsAnother(OneSided):
    """A key that is written as another one, where the plan says nothing of its own for it.

    A value of its own that is a default of the source's, and not of this key, which follows nobody by itself, is written.
    """

    key: str
    other: str
    how: str

    def write(self, w: WriteContext) -> None:
        """Write the key as the other one."""
        own, theirs = w.out.get(self.key), w.out.get(self.other)
        if w.same_framework:
            return
        if w.knows(self.key) and theirs is not None and theirs.value is not None and (own is None or own.value is None):
            w.put(self.key, theirs.value, how=self.how)
        elif own is not None and own.value not in (None, w.defaults(self.key)):
            w.out[self.key] = replace(own, always=True)


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
