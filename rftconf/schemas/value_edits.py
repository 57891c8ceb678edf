"""Edits that leave a key's name alone: other spellings, other meanings, other silent behaviour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rftconf.plan.symbols import Expr, Value
from rftconf.record import record
from rftconf.schemas.edits import C, Change, hits, with_value


@record
class Revalue:
    """A value is spelt differently: `spellings` from old to new, `back` from new to old where that differs."""

    key: str
    spellings: Mapping[Any, Any]
    why: str
    back: Mapping[Any, Any] | None = None
    """None: the inverse of `spellings`. Empty: the newer spelling is understood by the older release too."""
    lossy: bool = False
    """True where the newer word does not do all that the older one did."""

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Nothing: the name stayed."""
        del keys
        return frozenset()

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Respell."""
        return self._respell(flat, self.spellings)

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Respell back."""
        inverse = {new: old for old, new in self.spellings.items()}
        return self._respell(flat, inverse if self.back is None else self.back)

    def _respell(self, flat: dict[str, C], spellings: Mapping[Any, Any]) -> list[Change]:
        done = []
        for name, _ in hits(self.key, False, flat):
            value = flat[name].value
            for old, new in spellings.items():
                if type(value) is type(old) and value == old:
                    flat[name] = with_value(flat[name], new)
                    done.append(
                        Change(name, flat[name], (name,), f"{_show(old)} is {_show(new)}: {self.why}", self.lossy)
                    )
        return done


def _show(value: Value) -> str:
    return "null" if value is None else str(value)


@record
class Reinterpret:
    """The name and the spelling stayed, the meaning changed; nothing can be rewritten, it can only be said."""

    key: str
    values: tuple[Value, ...]
    why: str

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Nothing: the name stayed."""
        del keys
        return frozenset()

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Say it."""
        return [
            Change(name, flat[name], (name,), self.why, True)
            for name, _ in hits(self.key, False, flat)
            if flat[name].value in self.values and not isinstance(flat[name].value, Expr)
        ]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Say it."""
        return self.up(flat)


@record
class Pin:
    """Where `when` holds, the older release behaved as if `key` were `value`; the newer one has to be told."""

    when: tuple[str, Callable[[Value], bool]]
    key: str
    value: Value
    why: str
    overrules: bool = True
    """True when the older release ignored what was set; False when it only differed in its default."""
    also: tuple[str, Value] | None = None
    """A key and the value that it must have as well."""

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Nothing: the name is new or stayed."""
        del keys
        return frozenset()

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Write what was implied."""
        cause = flat.get(self.when[0])
        if cause is None or not self.when[1](cause.value) or (self.key in flat and not self.overrules):
            return []
        if self.also is not None and (self.also[0] not in flat or flat[self.also[0]].value != self.also[1]):
            return []
        flat[self.key] = with_value(cause, self.value)
        return [Change(self.key, flat[self.key], (self.key,), self.why)]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """A loss where the newer release was told something else."""
        cause, told = flat.get(self.when[0]), flat.get(self.key)
        if not self.overrules or cause is None or told is None or not self.when[1](cause.value):
            return []
        return [] if told.value == self.value else [Change(self.key, told, (self.key,), self.why, True)]


@record
class Wanted:
    """Where `when` holds, the older release refuses to run without `key`, which the newer one has no more."""

    when: tuple[str, Callable[[Value], bool]]
    key: str
    value: Value
    why: str
    unless: tuple[str, Value] | None = None
    """A key and the value with which nothing is asked for."""

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Nothing: another edit says what becomes of the key."""
        del keys
        return frozenset()

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Nothing: another edit takes the key out."""
        del flat
        return []

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write what the older release asks for."""
        cause = flat.get(self.when[0])
        if cause is None or not self.when[1](cause.value) or self.key in flat:
            return []
        if self.unless is not None and self.unless[0] in flat and flat[self.unless[0]].value == self.unless[1]:
            return []
        flat[self.key] = with_value(cause, self.value)
        return [Change(self.key, flat[self.key], (self.key,), self.why)]
