"""How long Trinity's schedules decay: over trainer.total_steps, whatever ends the run."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rows import Fold
from rftconf.plan.units import Unit

LIMIT = "trainer.total_steps"
DECAYS = ("stage.optim.actor.decay_updates", "stage.optim.critic.decay_updates")


def _read(r: ReadContext) -> None:
    """The explorer's limit may end the run earlier, and a limit within a period ends it later."""
    total, rollouts = r.native(LIMIT), r.plan("stage.run_length.rollouts")
    for path in DECAYS:
        r.set(path, None)
        if isinstance(total, int) and isinstance(rollouts, int):
            elsewhere = r.convert(rollouts, Unit.ROLLOUTS, Unit.TRAIN_STEPS) != total
            if elsewhere and r.plan(path.replace("decay_updates", "schedule")) not in ("constant", None):
                r.set(path, r.convert(total, Unit.TRAIN_STEPS, Unit.UPDATES), LIMIT)


def _write(w: WriteContext) -> None:
    for path in DECAYS:
        if w.plan(path) is not None:
            note = f"the source decays over {formula(w.plan(path))} updates; the schedule here runs over {LIMIT}"
            w.lose(path, State.NO_COUNTERPART, note)


HORIZON = Fold((LIMIT,), DECAYS, _read, _write, "trainer/verl/config: total_training_steps = trainer.total_steps")
