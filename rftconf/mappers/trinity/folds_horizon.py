"""How long Trinity's schedules decay: over trainer.total_steps, whatever ends the run (row 5.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.ledger import State
from rftconf.mappers.rows import Fold
from rftconf.plan.symbols import formula
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

LIMIT = "trainer.total_steps"
DECAYS = ("stage.optim.actor.decay_updates", "stage.optim.critic.decay_updates")


def _read(r: Reading) -> None:
    """The explorer's limit may end the run earlier, and a limit within a period ends it later."""
    total, rollouts = r.native(LIMIT), r.plan("stage.run_length.rollouts")
    for path in DECAYS:
        r.set(path, None)
        if isinstance(total, int) and isinstance(rollouts, int):
            elsewhere = r.convert(rollouts, Unit.ROLLOUTS, Unit.TRAIN_STEPS) != total
            if elsewhere and r.plan(path.replace("decay_updates", "schedule")) not in ("constant", None):
                r.set(path, r.convert(total, Unit.TRAIN_STEPS, Unit.UPDATES), LIMIT)


def _write(w: Writing) -> None:
    for path in DECAYS:
        if w.plan(path) is not None:
            note = (
                f"the source decays over {formula(w.plan(path))} updates; the schedule here runs over {LIMIT} (row 5.9)"
            )
            w.lose(path, State.NO_COUNTERPART, note)


HORIZON = Fold((LIMIT,), DECAYS, _read, _write, "trainer/verl/config: total_training_steps = trainer.total_steps")
