"""A shape for schedules that are planned for another length than the run's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import OfKeys
from rftconf.plan.units import Unit

WHOLE_RUN = "the learning rate falls over the length of the run"
"""The reason why a schedule that falls has no number of updates of its own."""


@record
class Horizon(OfKeys):
    """The updates that the learning rates decay over, where a key plans them for another length than the run's.

    `length` gives that length in `unit`, and None where it is the run's. `name` is how its number is called beside
    the plan value; `instead` says what a target does with a plan that has such a length.
    """

    key: str
    length: Callable[[ReadContext], int | None]
    unit: Unit
    instead: str
    name: str = ""
    plans: ClassVar[tuple[str, str]] = ("stage.optim.actor.decay_updates", "stage.optim.critic.decay_updates")

    def read(self, r: ReadContext) -> None:
        """Set the updates of each optimizer whose rate decays."""
        length = self.length(r)
        for path in self.plans:
            if r.plan(path.replace("decay_updates", "schedule")) in ("constant", None):
                r.set(path, None)
                continue
            if length is None:
                r.set(path, None, how=WHOLE_RUN)
                continue
            how = f"{formula(length)} {self.name}" if self.name else ""
            r.set(path, r.convert(length, self.unit, Unit.UPDATES), self.key, how=how)

    def write(self, w: WriteContext) -> None:
        """Record a length that the target's schedules cannot have."""
        for path in self.plans:
            updates: Any = w.plan(path)
            if updates is not None:
                w.lose(path, State.NO_COUNTERPART, f"the source decays over {formula(updates)} updates{self.instead}")
