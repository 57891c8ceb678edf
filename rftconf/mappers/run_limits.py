"""A shape for runs that end after some steps, or after some epochs, whichever comes first."""

from __future__ import annotations

from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rates import beside_a_length
from rftconf.mappers.shapes import settle_known
from rftconf.plan.origin import Kind


@record
class StepsAndEpochs:
    """Limits of a run under two keys, where a step is a rollout period; `never` is a number that no run gets to."""

    steps: str
    epochs: str
    never: int
    plans: ClassVar[tuple[str, ...]] = ("stage.run_length.rollouts", "stage.run_length.epochs")

    @property
    def natives(self) -> tuple[str, ...]:
        """Return both keys."""
        return (self.steps, self.epochs)

    def read(self, r: ReadContext) -> None:
        """Set both limits; where the rows are known, the periods are those of the limit that comes first."""
        steps, epochs = (None if (value := r.native(key)) == self.never else value for key in self.natives)
        rows, prompts = r.rows(), r.plan("stage.batch.prompts_per_rollout")
        r.set(self.plans[1], epochs, self.epochs)
        numbers = (rows, prompts, epochs, steps)
        if all(isinstance(number, int) for number in numbers) and prompts and rows // prompts * epochs < steps:
            how = f"{rows} rows / {prompts} x {epochs} epochs come before {steps} steps"
            r.set(self.plans[0], rows // prompts * epochs, *self.natives, kind=Kind.DERIVED, how=how)
            r.beyond[self.steps] = steps
            return
        r.set(self.plans[0], steps, self.steps)

    def write(self, w: WriteContext) -> None:
        """Write the limit that ends the source's run, and the other one where it is the framework's own."""
        steps, epochs = map(w.plan, self.plans)
        if w.same_framework:
            self._write_both(w, steps, epochs)
        elif steps is not None:
            w.put(self.steps, steps, self.plans[0], always=True)
            w.put(self.epochs, self.never, always=True, how="the steps end the run")
            state, note = beside_a_length(w)
            settle_known(w, self.plans[1], False, "", note, state=state)
        elif epochs is not None:
            w.put(self.epochs, epochs, self.plans[1], always=True)

    def _write_both(self, w: WriteContext, steps: Any, epochs: Any) -> None:
        for key, path, value in ((self.steps, self.plans[0], steps), (self.epochs, self.plans[1], epochs)):
            if value is not None:
                w.put(key, value, path, state=State.EXACT, always=True)
            elif path in w.values:
                w.put(key, self.never)
