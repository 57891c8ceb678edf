"""Edits about keys that the code of one of two releases asks for, whatever its catalogue holds."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.base.record import record
from rftconf.base.symbols import Value
from rftconf.schemas.edits import C, Change, OnlyDown, hits, with_value


@record
class NeededKey(OnlyDown):
    """A key that the older release refuses to run without where `when` holds, and that the newer one has no more."""

    when: tuple[str, Callable[[Value], bool]]
    key: str
    value: Value
    why: str
    unless: tuple[str, Value] | None = None
    """A key and the value with which nothing is asked for."""

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write what the older release asks for."""
        cause = flat.get(self.when[0])
        if cause is None or not self.when[1](cause.value) or self.key in flat:
            return []
        if self.unless is not None and self.unless[0] in flat and flat[self.unless[0]].value == self.unless[1]:
            return []
        flat[self.key] = with_value(cause, self.value)
        return [Change(self.key, flat[self.key], (self.key,), self.why)]


@record
class Required(OnlyDown):
    """The older release stops without `key`, which the newer one may leave out: it gets the value of `like`."""

    key: str
    like: str
    why: str
    instead: str
    """Another key with which nothing is asked for."""
    unless: tuple[str, Value]
    """A key and the value with which nothing is asked for."""

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write what the older release asks for."""
        cell, switch = flat.get(self.like), flat.get(self.unless[0])
        is_written = any(key in flat and flat[key].value is not None for key in (self.key, self.instead))
        if cell is None or cell.value is None or is_written or (switch is not None and switch.value == self.unless[1]):
            return []
        flat[self.key] = cell
        return [Change(self.key, cell, (self.key,), self.why)]


@record
class Came(OnlyDown):
    """A key of the newer release that is in no catalogue, because its code asks for it by `get`; the older one never did."""

    key: str
    why: str

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Drop it and all below it, and say why."""
        return [Change(name, flat.pop(name), (), self.why, True) for name, _ in list(hits(self.key, True, flat))]
