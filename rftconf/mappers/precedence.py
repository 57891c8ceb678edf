"""Shapes for keys of which not all count: keys behind a condition or a switch, and keys that overrule each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, OpenKey, formula
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.shapes import OneField, OneSided, Shape, carry, take
from rftconf.mappers.supposing import may_hold, put_to_sleep
from rftconf.plan.origin import Kind
from rftconf.schemas import catalogue
from rftconf.text.read.command_line_values import ORIGIN


def since(release: str) -> When:
    """Make the condition that a config's release is `release` or newer."""
    return When(lambda c: c.since(release), f"releases before {release} do otherwise")


@record
class While:
    """A shape that acts while a condition holds; otherwise its keys and its plan fields are asleep."""

    when: When
    shape: Shape

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the keys of the inner shape."""
        return self.shape.natives

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the plan fields of the inner shape."""
        return self.shape.plans

    def read(self, r: ReadContext) -> None:
        """Read the shape, or record that its keys do nothing here."""
        if may_hold(self.when, r):
            self.shape.read(r)
            return
        put_to_sleep(r, self.when, *self.natives)
        for path in self.plans:
            r.values.setdefault(path, None)

    def write(self, w: WriteContext) -> None:
        """Write the shape, or record that its plan fields have nothing to act on."""
        if self.when.test(w):
            self.shape.write(w)
            return
        for path in self.plans:
            w.asleep.setdefault(path, self.when.otherwise)


@record
class FirstOf(OneField):
    """Two keys of one plan field: the first counts where its value `speaks`, or where the file has no second.

    `overruled` and `silent` say of the second and of the first key why it does not count; the first is written.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("first", "second")
    first: str
    second: str
    path: str
    speaks: Callable[[Any], bool]
    overruled: str
    silent: str

    def read(self, r: ReadContext) -> None:
        """Set the field by the key that counts. Beside a first one that nobody told, the second may act, so neither is dead."""
        value = r.native(self.first)
        if isinstance(value, Expr) and r.written(self.second):
            r.set(self.path, value, self.first, self.second)
            r.narrowed[self.second] = (
                f"it acts where {self.first} does not overrule it, and that one's value is not known"
            )
            return
        if isinstance(value, Expr) or self.speaks(value) or not r.written(self.second):
            key, other, why = self.first, self.second, self.overruled
        else:
            key, other, why = self.second, self.first, self.silent
        r.inactive[other] = why
        take(r, key, self.path)

    def write(self, w: WriteContext) -> None:
        """Write the first key alone."""
        if self.path in w.values:
            w.put(self.first, w.plan(self.path), self.path)


@record
class StarterOption(OneField):
    """A key that an option of the command which starts the processes overrules (torchrun)."""

    key: str
    path: str
    option: str

    def read(self, r: ReadContext) -> None:
        """Set the field to the option's value where it is given, else to the key's."""
        options = r.facts.starter
        if self.option not in options:
            take(r, self.key, self.path)
            return
        value = options[self.option]
        r.set(self.path, value, kind=Kind.WRITTEN, how=f"torchrun --{self.option}={formula(value)}")
        if r.written(self.key):
            r.inactive[self.key] = f"torchrun starts the processes: --{self.option} counts"

    def write(self, w: WriteContext) -> None:
        """Write the key; the launch line repeats it where torchrun counts."""
        carry(w, self.key, self.path, always=True)


@record
class Block(OneSided):
    """A block of keys behind a switch: while it is `off`, none of them does anything. `only`: the names that hang on it."""

    name: str
    switch: str = "enable"
    off: str = "false"
    only: tuple[str, ...] = ()

    def read(self, r: ReadContext) -> None:
        """Record of each key below the block that it does nothing while the switch is off."""
        value = r.native(f"{self.name}.{self.switch}")
        if isinstance(value, Expr) or value:
            return
        for key, _ in r.source.leaves():
            name = key.removeprefix(f"{self.name}.")
            if name not in (key, self.switch) and (not self.only or name in self.only):
                r.inactive[key] = f"no effect while {self.name}.{self.switch} is {self.off}"


@record
class Until(OneField):
    """A key that only older releases read, for a field that newer ones have no key for: there a person has to give it.

    `unread_since` is the first release that does not read it, `cuts` a note on what the older ones do with the value,
    `instead` what the newer ones do, and `asks` what a person who comes from one of these has to give.
    """

    key: str
    path: str
    unread_since: str
    instead: str
    asks: str
    cuts: Callable[[Any], str] = field(default=lambda _: "")

    def read(self, r: ReadContext) -> None:
        """Set the field where the release reads the key; unwritten it has that release's default."""
        known = catalogue.load(r.framework, r.release, r.trainer)
        if r.since(self.unread_since):
            cell = r.source.cells.get(self.key)
            if cell is not None and cell.leaf is not None and cell.leaf.place.file == ORIGIN:
                r.set(self.path, cell.value, self.key, how="given by hand")  # the answer to what is asked
                return
            if self.key in known:
                r.inactive[self.key] = self.instead
            r.set(self.path, OpenKey(self.key), how=self.asks)
            return
        value = r.native(self.key) if r.written(self.key) else known.default(self.key)
        r.set(self.path, value, self.key)
        if value is not None and self.cuts(value):
            r.note(self.cuts(value))

    def write(self, w: WriteContext) -> None:
        """Write the key for a release that reads it."""
        value = w.plan(self.path)
        if isinstance(value, OpenKey) and w.since(self.unread_since):
            w.lose(self.path, State.DERIVED, self.instead)
        elif value is not None and w.since(self.unread_since):
            w.lose(self.path, State.NO_COUNTERPART, self.instead)
        elif value is not None:
            w.put(self.key, value, self.path, always=True)


@record
class LeftToScript(OneField):
    """A key that a config may leave to the script that reads it, so that another framework's config asks for the value."""

    key: str
    path: str
    how: str

    def read(self, r: ReadContext) -> None:
        """Set the field to what is written, else leave it open."""
        value = r.native(self.key)
        if value is None:
            r.set(self.path, OpenKey(self.key), how=self.how)
        else:
            r.set(self.path, value, self.key)

    def write(self, w: WriteContext) -> None:
        """Write the value; what a config leaves to its script stays there."""
        value = w.plan(self.path)
        if w.same_framework and isinstance(value, OpenKey):
            w.lose(self.path, State.DERIVED, self.how)
        elif value is not None:
            w.put(self.key, value, self.path)
