"""Keys that always have a value: what stands there where another framework's run has none."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.mappers.codecs import Put, Same
from rftconf.mappers.context import ReadContext, ValueContext, WriteContext
from rftconf.mappers.shapes import OneField
from rftconf.plan.units import Unit


class Needed(Same):
    """The same value; a run without one has the framework's default, and `why` says so."""

    def __init__(self, why: str) -> None:
        self.why = why

    def put(self, value: Any, context: ValueContext, unit: Unit | None) -> Put:
        """Leave the default where the plan has nothing."""
        if value is None and not context.same_framework:
            return Put(None, State.NO_COUNTERPART, self.why)
        return super().put(value, context, unit)


@record
class Limit(OneField):
    """A key with a default of its own, where null or a number that no run reaches means no limit.

    `unreached` is that number. It is written for none, because a loader that checks types takes no null.
    """

    key: str
    path: str
    unreached: int

    def read(self, r: ReadContext) -> None:
        """Set the field to the limit, or to none."""
        value = r.native(self.key)
        r.set(self.path, None if isinstance(value, int) and value >= self.unreached else value, self.key)

    def write(self, w: WriteContext) -> None:
        """Write the limit, or the number that no run reaches."""
        value = w.plan(self.path)
        if value is None:
            w.put(self.key, self.unreached, self.path, always=True, how="more than any run has")
        else:
            w.put(self.key, value, self.path)


@record
class Repeats(OneField):
    """A key that says what `other` says unless it is written: that is no value of its own."""

    key: str
    path: str
    other: str

    def read(self, r: ReadContext) -> None:
        """Set the field where the key says something else."""
        value = r.native(self.key)
        r.set(self.path, None if value == r.native(self.other) else value, self.key)

    def write(self, w: WriteContext) -> None:
        """Write a value of its own."""
        if w.plan(self.path) is not None:
            w.put(self.key, w.plan(self.path), self.path)
