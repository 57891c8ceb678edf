"""Shapes that folds are made of: each says once what keys and plan fields are to each other, and serves both directions.

`together` makes a fold of shapes and of the hand-written part that is left. The functions are a shape's half, for folds that need
one between other things.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, ClassVar, Protocol

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import MISSING, formula
from rftconf.mappers.context import Context, ReadContext, When, WriteContext
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import Fold
from rftconf.mappers.supposing import may_hold
from rftconf.plan.origin import Kind


class Shape(Protocol):
    """Keys and plan fields with what they mean to each other; a `Fold` is one, too."""

    @property
    def natives(self) -> tuple[str, ...]:
        """The keys that it speaks for."""

    @property
    def plans(self) -> tuple[str, ...]:
        """The plan fields that it feeds."""

    @property
    def read(self) -> Callable[[ReadContext], None]:
        """Sets the plan fields."""

    @property
    def write(self) -> Callable[[WriteContext], None]:
        """Writes the keys, or says what becomes of the plan fields."""


def together(*shapes: Shape, why: str, when: When | None = None, natives: tuple[str, ...] = ()) -> Fold:
    """Make a fold of shapes; `when`: nothing of it acts otherwise, and nothing is said of it. `natives`: further keys."""

    def read(r: ReadContext) -> None:
        for shape in shapes:
            shape.read(r)

    def write(w: WriteContext) -> None:
        for shape in shapes:
            shape.write(w)

    assert not any(isinstance(shape, Fold) and shape.when for shape in shapes), "the fold of all has the condition"
    keys = dict.fromkeys((*(key for shape in shapes for key in shape.natives), *natives))
    plans = dict.fromkeys(without_indices(path) for shape in shapes for path in shape.plans)
    return Fold(tuple(keys), tuple(plans), read, write, why, when)


def only_written(write: Callable[[WriteContext], None], *, why: str) -> Fold:
    """Make a fold of what is written, or refused, and that no plan field is read from."""
    return Fold((), (), lambda _: None, write, why)


def take(r: ReadContext, key: str, path: str, default: Any = None) -> None:
    """Set a plan field to the value of a key."""
    r.set(path, r.native(key, default), key)


def carry(w: WriteContext, key: str, path: str, **more: Any) -> None:
    """Write a plan value, where there is one, under a key. `more`: as `put` takes it."""
    if (value := w.plan(path)) is not None:
        w.put(key, value, path, **more)


def leave_open(
    w: WriteContext, key: str, note: str, *plans: str, state: State = State.UNRESOLVED, how: str = ""
) -> None:
    """Leave a key to a person, and say why."""
    w.put(key, MISSING, *plans, state=state, note=note, how=how, always=True)


def leave_to_default(w: WriteContext, key: str, path: str, note: str) -> None:
    """Record that a key is not written for a plan value that it has no word for, and what acts then."""
    acts = f"nothing is written, so {formula(w.defaults(key))}, the default of {key}, acts"
    w.lose(path, State.NO_COUNTERPART, "; ".join(filter(None, (note, acts))))


def lose_known(w: WriteContext, state: State, note: str, *paths: str) -> None:
    """Record of those fields that the plan has a value for that they have no place in the target."""
    for path in paths:
        if w.plan(path) is not None:
            w.lose(path, state, note)


def known_below(w: WriteContext, prefix: str) -> list[str]:
    """Return the plan fields below a prefix that have a value."""
    return [path for path in w.values if path.startswith(prefix) and w.values[path] is not None]


def settle(
    w: WriteContext,
    path: str,
    same: bool,
    as_here: str,
    otherwise: str = "",
    state: State = State.NARROWED,
    alike: State = State.DEFAULT,
) -> None:
    """Record what this framework does about a plan field that it has no key for: the same, or something else."""
    w.lose(path, alike if same else state, as_here if same else otherwise or as_here)


def settle_known(w: WriteContext, path: str, same: bool, *words: Any, **states: Any) -> None:
    """Call `settle` for a plan field that has a value, with the same `words` and `states`."""
    if w.plan(path) is not None:
        settle(w, path, same, *words, **states)


class OneSided:
    """Base of shapes that have no key or no field of their own, or one direction: each says what it has."""

    __slots__ = ()
    natives: tuple[str, ...] = ()
    plans: tuple[str, ...] = ()

    def read(self, r: ReadContext) -> None:
        """Leave the fields to other shapes."""

    def write(self, w: WriteContext) -> None:
        """Leave the keys to other shapes."""


class OfKeys:
    """Base of shapes for keys that lie in the attributes `KEYS`: one key, several, or those of a mapping; "" is none."""

    __slots__ = ()
    KEYS: ClassVar[tuple[str, ...]] = ("key",)

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the keys that the shape speaks for."""
        return _texts_in(self, self.KEYS)


class OneField(OfKeys):
    """Base of shapes for one plan field, which one key stands for unless `KEYS` and `FIELDS` name other attributes."""

    __slots__ = ()
    FIELDS: ClassVar[tuple[str, ...]] = ("path",)
    key: str
    path: str

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the plan fields that the shape feeds."""
        return _texts_in(self, self.FIELDS)


def _texts_in(shape: object, names: tuple[str, ...]) -> tuple[str, ...]:
    values = (getattr(shape, name) for name in names)
    return tuple(text for value in values for text in ((value,) if isinstance(value, str) else value) if text)


@record
class Pair(OneField):
    """A key and a plan field of one value. `default`: the key's, where the catalogue cannot know it.

    `off`: the key's word for none. `null`: null is a value of its own, and written. `unlisted`: no catalogue has the key,
    so what is written is compared with `default`. `fallback`: a key and its field, which count where this says nothing. `how`: how
    the key tells the field. `idle`: keys that do nothing beside it, with the reason.
    """

    key: str
    path: str
    default: Any = None
    always: bool = False
    off: Any = None
    null: bool = False
    unlisted: bool = False
    fallback: tuple[str, str] | tuple[()] = ()
    how: str = ""
    idle: Mapping[str, str] = field(default_factory=dict)

    def read(self, r: ReadContext) -> None:
        """Set the field to the key's value."""
        r.inactive.update(self.idle)
        value = r.native(self.key, self.default)
        value = value or r.plan(self.fallback[1]) if self.fallback else value
        r.set(self.path, None if value == self.off else value, self.key, how=self.how)

    def write(self, w: WriteContext) -> None:
        """Write the field's value, where there is one that the fallback does not give already."""
        if self.fallback and not self.always and w.plan(self.path) in (None, w.plan(self.fallback[1])):
            lose_known(w, State.DERIVED, f"as {self.fallback[0]}", self.path)
            return
        more = {"default": self.default} if self.unlisted else {}
        if w.plan(self.path) is not None or (self.null and self.path in w.values):
            w.put(self.key, w.plan(self.path), self.path, always=self.always, **more)


@record
class Behaves(OneField):
    """A plan field that the framework's code decides: by itself, or by `keys` that say something else as well.

    `value` is what it does, or finds that out. Another value of the source is narrowed, and `otherwise` says to what,
    or finds that out;
    a field without a value is not spoken of where `only_told`. `idle`: keys that do nothing where it acts, because of
    `idle_why`, else of `how`. `kind`: how the keys tell it, where they do not say it themselves.
    """

    KEYS: ClassVar[tuple[str, ...]] = ()
    path: str
    value: Any
    how: str
    otherwise: str | Callable[[Context], str] = ""
    as_here: str = ""
    keys: tuple[str, ...] = ()
    only_told: bool = False
    state: State = State.NARROWED
    same: State = State.DEFAULT
    idle: tuple[str, ...] = ()
    idle_why: str = ""
    kind: Kind | None = None

    def read(self, r: ReadContext) -> None:
        """Set the field to what is done."""
        r.inactive.update(dict.fromkeys(self.idle, self.idle_why or self.how))
        r.set(
            self.path, self._mine(r), *self.keys, kind=self.kind or (None if self.keys else Kind.DEFAULT), how=self.how
        )

    def write(self, w: WriteContext) -> None:
        """Return whether the source does the same."""
        value = w.plan(self.path)
        if value is not None or not self.only_told:
            same, other = value in (self._mine(w), None), self.otherwise
            other = other if isinstance(other, str) else other(w)
            settle(w, self.path, same, self.as_here or self.how, other, self.state, self.same)

    def _mine(self, c: Context) -> Any:
        return self.value(c) if callable(self.value) else self.value


@record
class Where:
    """One of two shapes for the same plan fields, by a condition. `written`: the shape that writes, whichever is read."""

    when: When
    then: Shape
    otherwise: Shape
    written: Shape | None = None

    @property
    def natives(self) -> tuple[str, ...]:
        """The keys of both, or of the one that writes."""
        return self.written.natives if self.written else (*self.then.natives, *self.otherwise.natives)

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the plan fields of both shapes."""
        return tuple(dict.fromkeys((*self.then.plans, *self.otherwise.plans)))

    def read(self, r: ReadContext) -> None:
        """Set the fields as the shape does whose turn it is."""
        (self.then if may_hold(self.when, r) else self.otherwise).read(r)

    def write(self, w: WriteContext) -> None:
        """Write as the shape does whose turn it is."""
        (self.written or (self.then if self.when.test(w) else self.otherwise)).write(w)
