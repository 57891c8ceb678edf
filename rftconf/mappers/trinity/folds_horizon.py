"""Trinity's schedules decay over trainer.total_steps, whatever ends the run."""

from __future__ import annotations

from rftconf.mappers.context import ReadContext
from rftconf.mappers.horizons import Horizon
from rftconf.mappers.shapes import together
from rftconf.plan.units import Unit

LIMIT = "trainer.total_steps"


def _other_length(r: ReadContext) -> int | None:
    """The explorer's limit may end the run earlier, and a limit within a period ends it later."""
    total, rollouts = r.native(LIMIT), r.plan("stage.run_length.rollouts")
    if not isinstance(total, int) or not isinstance(rollouts, int):
        return None
    return total if r.convert(rollouts, Unit.ROLLOUTS, Unit.TRAIN_STEPS) != total else None


HORIZON = together(
    Horizon(LIMIT, _other_length, Unit.TRAIN_STEPS, f"; the schedule here runs over {LIMIT}"),
    why="trainer/verl/config: total_training_steps = trainer.total_steps",
)
