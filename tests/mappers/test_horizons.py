"""Schedules that are planned for another length than the run's."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import State
from rftconf.mappers.horizons import WHOLE_RUN, Horizon
from rftconf.mappers.shapes import Pair, together
from rftconf.mappers.writing import Writing
from rftconf.plan.units import Unit
from tests.mappers.test_precedence import reading
from tests.mappers.test_shapes import KEY, table

ACTOR, CRITIC = Horizon.plans
SCHEDULE = "stage.optim.actor.schedule"


@pytest.mark.parametrize(
    ("length", "schedule", "updates", "how"),
    [(100, "cosine", 100, "100 updates"), (100, "constant", None, ""), (None, "cosine", None, WHOLE_RUN)],
)
def test_only_a_rate_that_decays_has_a_length_of_its_own(length: Any, schedule: str, updates: Any, how: str) -> None:
    horizon = Horizon(KEY, lambda _: length, Unit.UPDATES, "", "updates")
    result = reading(together(Pair("kind", SCHEDULE), horizon, why="the schedule"), kind=schedule)
    assert (result.values[ACTOR], result.values[CRITIC]) == (updates, None)
    assert result.origins[ACTOR].how == how


def test_another_length_is_lost() -> None:
    horizon = Horizon(KEY, lambda _: None, Unit.UPDATES, "; here they decay over the run")
    writing = Writing(table(horizon), "roll", "0.3.0", "rlvr", {ACTOR: 100, CRITIC: None}, {})
    writing.write_all()
    assert {path: (outcome.state, outcome.note) for path, outcome in writing.outcomes.items()} == {
        ACTOR: (State.NO_COUNTERPART, "the source decays over 100 updates; here they decay over the run")
    }
