"""Shapes for what a kind of run states whatever the plan says: keys with one value, questions, and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import MISSING, Expr
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.shapes import OneField, OneSided
from rftconf.plan.index import unit_of
from rftconf.plan.units import Unit


@record
class Means(OneField):
    """Keys that together mean one word of a plan field. `how` says why a key has to be there.

    `state`: of the word, where the keys say something else as well; `told_by_all` of them, else by the first.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("keys",)
    path: str
    word: str
    keys: Mapping[str, Any]
    how: Mapping[str, str] = field(default_factory=dict)
    state: State = State.EXACT
    told_by_all: bool = False

    def read(self, r: ReadContext) -> None:
        """Set the field to the word."""
        r.set(self.path, self.word, *(self.natives if self.told_by_all else self.natives[:1]))

    def write(self, w: WriteContext) -> None:
        """Write every key with its fixed value."""
        for key, value in self.keys.items():
            w.put(key, value, self.path, always=True, state=self.state, how=self.how.get(key, ""))


@record
class Stated(OneSided):
    """A key that the framework needs in such a run, and that no plan field stands for; its own files say it themselves.

    `value` is what it needs, or finds that out of the plan.
    `holds`: a condition on the plan. `unless`: a plan field whose own row writes the key where it has a value; then what
    stands here was `chosen`. `before`: the release from which on the key is not needed.
    """

    key: str
    value: Any
    how: str
    unless: str = ""
    before: str = ""
    holds: Callable[[WriteContext], bool] = field(default=lambda _: True)

    def write(self, w: WriteContext) -> None:
        """Write the key for a plan that came from another framework."""
        needed = (not self.before or not w.since(self.before)) and self.holds(w)
        if needed and not w.same_framework and (not self.unless or w.plan(self.unless) is None):
            value = self.value(w) if callable(self.value) else self.value
            w.put(self.key, value, always=True, how=self.how, chosen=bool(self.unless))


@record
class Every(OneField):
    """A count in a unit of the key's own, off at 0; nothing is written where the plan has none, and parts are rounded up."""

    key: str
    path: str
    unit: Unit

    def read(self, r: ReadContext) -> None:
        """Set the field in the plan's unit."""
        value, unit = r.native(self.key, 0), unit_of(self.path)
        assert unit is not None, "the plan's field has a unit"
        off = not isinstance(value, Expr) and not value
        r.set(self.path, None if off else r.convert(value, self.unit, unit), self.key)

    def write(self, w: WriteContext) -> None:
        """Write the count in the key's unit."""
        value, unit = w.plan(self.path), unit_of(self.path)
        if value and unit is not None:
            exact = w.convert(value, unit, self.unit)
            whole = ceil(exact) if isinstance(exact, Fraction) else exact
            note = "" if whole == exact else f"{float(exact):g} {self.unit}; wrote {whole}"
            state = State.ROUNDED if note else State.EXACT
            w.put(self.key, whole, self.path, state=state, note=note, always=True)


@record
class Question(OneSided):
    """A key that the framework needs, beside its `Pair`: a person is asked where the plan field has no value."""

    key: str
    path: str
    why: str
    choices: tuple[str, ...]

    def write(self, w: WriteContext) -> None:
        """Leave the key open where the plan has no value, and ask for one."""
        if w.plan(self.path) is None:
            w.put(self.key, MISSING, self.path, state=State.UNRESOLVED, note=self.why, always=True)
            w.decide(self.key, self.why, *self.choices)


@record
class Inquiry(OneSided):
    """A question about what another framework's run does otherwise: `why` words it, and is empty where it does not.

    The question stands at `key`; one about the loss or the estimator `leads`.
    """

    key: str
    why: Callable[[WriteContext], str]
    choices: tuple[str, ...]
    leads: bool = False

    def write(self, w: WriteContext) -> None:
        """Ask where the source does otherwise."""
        sentence = "" if w.same_framework else self.why(w)
        if sentence:
            w.decide(self.key, sentence, *self.choices, leads=self.leads)


@record
class Needed(OneSided):
    """A switch that something else in the run needs to be on, beside its field's own row: `why` says what, or nothing.

    `forced`: the framework turns it on by itself, so that it is read as on, and written in files of its own as well.
    """

    key: str
    path: str
    why: Callable[[Context], str]
    forced: bool = False

    def read(self, r: ReadContext) -> None:
        """Set the field to true where the framework does so itself."""
        if self.forced and self.why(r):
            r.set(self.path, True, self.key, how=self.why(r))

    def write(self, w: WriteContext) -> None:
        """Switch it on, and record where the source has it off."""
        sentence = self.why(w) if self.forced or not w.same_framework else ""
        if sentence and w.effective(self.key) is not True:
            paths = [self.path] if w.plan(self.path) is False else []
            note = sentence if paths else ""
            w.put(self.key, True, *paths, note=note, always=True, how=sentence)


@record
class Noted(OneSided):
    """A sentence about a config of which something holds, or the function that words it.

    `narrows`: a key as which no other framework can do because of that; `because`: the reason, where it is not the sentence.
    """

    holds: Callable[[ReadContext], bool]
    sentence: str | Callable[[ReadContext], str]
    narrows: str = ""
    because: Callable[[ReadContext], str] | None = None

    def read(self, r: ReadContext) -> None:
        """Note the sentence where the condition holds."""
        if self.holds(r):
            sentence = self.sentence if isinstance(self.sentence, str) else self.sentence(r)
            r.note(sentence)
            if self.narrows:
                r.narrowed[self.narrows] = sentence if self.because is None else self.because(r)


@record
class Narrows(OneSided):
    """A key as which no other framework can do, where something holds of the config."""

    key: str
    holds: Callable[[ReadContext], bool]
    why: str

    def read(self, r: ReadContext) -> None:
        """Record why the key is narrowed where the condition holds."""
        if self.holds(r):
            r.narrowed[self.key] = self.why


@record
class Refused(OneSided):
    """A plan that the framework does not run: nothing is written, and a person reads what may be changed."""

    holds: Callable[[WriteContext], bool]
    why: str | Callable[[WriteContext], str]
    choices: tuple[str, ...]

    def write(self, w: WriteContext) -> None:
        """Refuse the plan where it is such a one. Raises RefusedError."""
        if self.holds(w):
            sentence = self.why if isinstance(self.why, str) else self.why(w)
            raise RefusedError(sentence, choices=self.choices)


@record
class Lost(OneField):
    """A plan field that the framework does not keep; `noted`: a person reads that beside the result as well."""

    KEYS: ClassVar[tuple[str, ...]] = ()
    path: str
    state: State
    why: str
    noted: bool = False

    def read(self, r: ReadContext) -> None:
        """Leave the field to the shape that reads it."""

    def write(self, w: WriteContext) -> None:
        """Record what becomes of the field."""
        w.lose(self.path, self.state, self.why)
        if self.noted:
            w.note(self.why)


@record
class SwitchedCount(OneField):
    """A count with a switch beside it, where the count has no word for none."""

    key: str
    switch: str
    path: str

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the count and its switch."""
        return (self.key, self.switch)

    def read(self, r: ReadContext) -> None:
        """Set the field to the count, or to none where the switch is off."""
        on = r.native(self.switch)
        off = on is False
        if off:
            r.inactive[self.key] = f"{self.switch} is false"
        r.set(self.path, None if off else r.native(self.key), *((self.switch,) if off else (self.key, self.switch)))

    def write(self, w: WriteContext) -> None:
        """Write the count, or switch off where the plan has none."""
        value = w.plan(self.path)
        if value is not None:
            w.put(self.switch, True, self.path)
            w.put(self.key, value, self.path, always=True)
        elif self.path in w.values:
            w.put(self.switch, False, always=True, how="the source does not do so")
