"""Shapes for frameworks with two trainers in one config, each with a switch and a block of keys."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.shapes import OneField, Shape, leave_open
from rftconf.mappers.supposing import may_hold


@record
class SwitchedBackends(OneField):
    """The back end of the trainer, of which each has a switch of its own; the first is written for one that is not here.

    `title` is how sentences call the framework.
    """

    title: str
    switches: Mapping[str, str]
    path: str = "stage.placement.actor.backend"

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the switches of all back ends."""
        return tuple(self.switches.values())

    def read(self, r: ReadContext) -> None:
        """Set the back end whose switch is on; with all of them, or none, no run starts."""
        values = {name: r.native(switch) for name, switch in self.switches.items()}
        unknown = next((value for value in values.values() if isinstance(value, Expr)), None)
        on = [name for name, value in values.items() if value is True]
        if len(on) != 1 and unknown is None:
            r.note(f"{' and '.join(self.natives)} are {'both on' if on else 'both off'}: {self.title} stops")
        r.set(self.path, on[0] if on else unknown, *self.natives)

    def write(self, w: WriteContext) -> None:
        """Switch one back end on, and the others off."""
        word = w.plan(self.path)
        if isinstance(word, Expr):
            leave_open(w, self.natives[0], "which trainer is meant hangs on a value nobody tells", self.path)
            return
        if word is None:
            return
        mine = word if word in self.switches else next(iter(self.switches))
        note = "" if word == mine else f"{self.title} trains with {' or '.join(self.switches)}, not {formula(word)}"
        for name, switch in self.switches.items():
            state = State.NARROWED if note else State.EXACT
            w.put(switch, name == mine, self.path, state=state, note=note, always=name == mine)


@record
class OneOf:
    """One of two shapes for the same plan fields, by a condition; the keys of the other one do nothing then.

    `idle`: what is said of these keys, while the condition holds and otherwise.
    """

    when: When
    then: Shape
    otherwise: Shape
    idle: tuple[str, str]

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the keys of both shapes."""
        return tuple(dict.fromkeys((*self.then.natives, *self.otherwise.natives)))

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the plan fields of both shapes."""
        return tuple(dict.fromkeys((*self.then.plans, *self.otherwise.plans)))

    def read(self, r: ReadContext) -> None:
        """Read the shape whose turn it is, and record that the other's keys do nothing."""
        holds = may_hold(self.when, r)
        mine, other = (self.then, self.otherwise) if holds else (self.otherwise, self.then)
        asleep = {key: self.idle[0 if holds else 1] for key in other.natives if key not in mine.natives}
        r.inactive.update(asleep)
        mine.read(r)

    def write(self, w: WriteContext) -> None:
        """Write the shape whose turn it is."""
        (self.then if self.when.test(w) else self.otherwise).write(w)
