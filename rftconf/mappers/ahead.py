"""A shape for engines that may run ahead of the trainer, by a number of rollout periods."""

from __future__ import annotations

from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open, lose_known, settle_known

TURNS = "engines and trainer take turns"


@record
class RunsAhead:
    """A switch, the most periods that answers may be old, and a switch `cuts` that changes weights under answers on their way."""

    switch: str
    most: str
    cuts: str
    plans: ClassVar[tuple[str, ...]] = tuple(
        f"stage.sync.{name}" for name in ("run_ahead_rollouts", "in_flight", "driver")
    )

    @property
    def natives(self) -> tuple[str, ...]:
        """Return both switches and the bound."""
        return (self.switch, self.most, self.cuts)

    def read(self, r: ReadContext) -> None:
        """Set how far engines run ahead; while the switch is off, both take turns."""
        on, most, cuts = (r.native(key) for key in self.natives)
        if not on:
            r.inactive.update(dict.fromkeys(self.natives[1:], f"{self.switch} is off"))
        ahead, flight, driver = self.plans
        r.set(ahead, most if on else 0, self.switch, self.most)
        r.set(flight, "interrupt" if on and cuts else "finish", self.cuts)
        r.set(driver, "trainer" if on else "lockstep", self.switch)

    def write(self, w: WriteContext) -> None:
        """Switch it on where the source runs ahead; a part of a period is a whole one."""
        ahead, flight, driver = map(w.plan, self.plans)
        if isinstance(ahead, Expr):
            leave_open(
                w, self.switch, "how far engines run ahead depends on a value the source does not tell", self.plans[0]
            )
            return
        if not ahead:
            lose_known(w, State.DEFAULT, TURNS, self.plans[0])
            settle_known(w, self.plans[1], flight == "finish", TURNS)
            settle_known(w, self.plans[2], driver == "lockstep", TURNS)
            return
        whole: Any = max(1, int(ahead))
        note = "" if whole == ahead else f"{ahead:g} periods ahead; wrote {whole}"
        w.put(self.switch, True, self.plans[0], always=True)
        w.put(self.most, whole, self.plans[0], state=State.ROUNDED if note else State.EXACT, note=note, always=True)
        w.put(self.cuts, flight == "interrupt", *([self.plans[1]] if flight is not None else []))
        bounds = "the trainer takes answers that are no older than so many periods"
        settle_known(w, self.plans[2], driver == "trainer", bounds, bounds)
