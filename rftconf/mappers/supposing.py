"""Conditions on values that nobody told: a row whose key could act is read, and the value it hangs on stays open."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, product
from typing import Any, cast

from rftconf.base.symbols import is_symbolic
from rftconf.mappers.context import Context, ReadContext, When
from rftconf.mappers.paths import without_indices
from rftconf.plan.index import fields
from rftconf.schemas import catalogue

MOST_CASES = 64
"""Combinations of unknown switches and words that are tried for one condition."""


class Supposed:
    """A reading or a writing in which some values that are not known are supposed to be what they might be.

    `unknown` collects the plan paths and keys that were asked for and are not known, each with what it might be.
    """

    def __init__(self, context: Context, supposed: Mapping[str, Any]) -> None:
        self._context, self._supposed = context, supposed
        self.unknown: dict[str, tuple[Any, ...]] = {}

    def plan(self, path: str) -> Any:
        """The plan value, or what it is supposed to be."""
        return self._suppose(path, self._context.plan(path), _of_field)

    def native(self, key: str, otherwise: Any = None) -> Any:
        """The effective native value of a reading, or what it is supposed to be."""
        return self._suppose(key, cast("ReadContext", self._context).native(key, otherwise), self._of_key)

    def effective(self, key: str) -> Any:
        """The effective native value, or what it is supposed to be."""
        return self._suppose(key, self._context.effective(key), self._of_key)

    def _suppose(self, name: str, value: Any, choices: Any) -> Any:
        if not is_symbolic(value):
            return value
        if name not in self._supposed:
            self.unknown[name] = choices(name)
        return self._supposed.get(name, value)

    def _of_key(self, key: str) -> tuple[Any, ...]:
        known = catalogue.load(self._context.framework, None, self._context.trainer)
        entry = known.get(key)
        if entry is not None and "bool" in entry.type.split("|"):
            return (True, False)
        return entry.choices if entry is not None and entry.choices else known.names(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def _of_field(path: str) -> tuple[Any, ...]:
    field = fields().get(without_indices(path))
    kinds = field.kinds if field is not None else ()
    return (True, False) if "bool" in kinds else tuple(kind[1:] for kind in kinds if kind.startswith("="))


class Watched:
    """A reading that notes in `keys` which native keys it is asked about, themselves or through the plan."""

    def __init__(self, reading: ReadContext) -> None:
        self._reading = reading
        self.keys: dict[str, None] = {}

    def plan(self, path: str) -> Any:
        """The plan value; the keys that it came from count as looked at."""
        value, origin = self._reading.plan(path), self._reading.origins.get(path)
        self.keys.update(dict.fromkeys(origin.keys if origin is not None else ()))
        return value

    def native(self, key: str, otherwise: Any = None) -> Any:
        """The effective native value."""
        self.keys[key] = None
        return self._reading.native(key, otherwise)

    effective = native

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reading, name)


def looked_at(when: When, reading: ReadContext) -> tuple[str, ...]:
    """The native keys whose values a condition hangs on; none where it only asks for the release or the trainer."""
    watched = Watched(reading)
    when.test(cast("ReadContext", watched))
    return tuple(watched.keys)


def put_to_sleep(reading: ReadContext, when: When, *keys: str) -> None:
    """Record that keys do nothing in this config, because a condition does not hold."""
    reading.inactive.update(dict.fromkeys(keys, when.otherwise))
    reading.waits_for.update(dict.fromkeys(keys, when))


def may_hold(when: When, context: Context) -> bool:
    """True where a condition holds, or might hold were a value that nobody told another one."""
    return when.test(context) or (context.open and could_hold(when, context))


def could_hold(when: When, context: Context) -> bool:
    """True where a condition that does not hold might, were a switch or a word that nobody told another one."""
    first = Supposed(context, {})
    when.test(cast("ReadContext", first))
    names = [name for name, choices in first.unknown.items() if choices]
    cases = islice(product(*(first.unknown[name] for name in names)), MOST_CASES)
    supposed = (Supposed(context, dict(zip(names, case, strict=True))) for case in cases)
    return any(when.test(cast("ReadContext", supposition)) for supposition in supposed) if names else False
