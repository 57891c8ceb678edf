"""A shape for keys that are on or off where the plan has a word for either."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import OneField, leave_open


@record
class Switch(OneField):
    """A key that is on or off, and a plan field with a word for either; what nobody told passes as it is.

    `near`: other words of the plan that the switch is turned on for, with what is lost. `unsaid`: what holds by default,
    where the key is written for the word `on` alone, and `how` it then comes there. `open`: why the key is left to a person
    where nobody told the word, in better words than that nobody did.
    """

    key: str
    path: str
    on: str
    off: str
    near: Mapping[str, str] = field(default_factory=dict)
    unsaid: str = ""
    how: str = ""
    open: str = ""

    def read(self, r: ReadContext) -> None:
        """Set the field to the word for the switch."""
        value = r.native(self.key)
        r.set(self.path, value if isinstance(value, Expr) else self.on if value else self.off, self.key)

    def write(self, w: WriteContext) -> None:
        """Switch off for the one word, and on for any other."""
        word = w.plan(self.path)
        if isinstance(word, Expr):
            leave_open(w, self.key, self.open or "it hangs on a value that the source does not tell", self.path)
        elif self.unsaid and word == self.on:
            w.put(self.key, True, self.path, always=True, how=self.how)
        elif self.unsaid and word is not None:
            w.lose(self.path, State.DEFAULT, self.unsaid)
        elif word is not None:
            note = self.near.get(str(word), "")
            w.put(self.key, word != self.off, self.path, note=note)
