"""What is drawn ahead is answered while the period before it is learned from, in every period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("ray", reason="needs the runner's environment (make runner-env)")
import numpy as np
from rftconf_runner import drawing
from rftconf_runner.columns import Block, Ragged, numbers_of
from rftconf_runner.data import Prompt
from rftconf_runner.drawing import Drawing
from rftconf_runner.job_reader import job_of

from tests.runner.test_job import plan

PERIODS = 6


class Engine:
    """Notes the period in which it was asked, and answers at once."""

    period = 0

    def __init__(self) -> None:
        self.draw = SimpleNamespace(options=lambda **_: SimpleNamespace(remote=self._answered))

    def _answered(self, questions: Sequence[Any], _first: int, _own: slice) -> tuple[Any, Block]:
        answers = Ragged.of([[1] for _ in questions])
        block = Block(answers, answers, answers, np.arange(len(answers)))
        return (self.period, numbers_of(block, np.zeros(len(answers)))), block


class Data:
    """As many equal prompts as are asked for."""

    def take(self, _start: int, count: int) -> list[Prompt]:
        return [Prompt(0, (1,), "", "")] * count


@pytest.mark.parametrize("ahead", [4, 2, 8])
def test_nothing_is_waited_for_that_is_drawn_ahead(monkeypatch: pytest.MonkeyPatch, ahead: int) -> None:
    engine, waited = Engine(), list[int]()

    def get(refs: Sequence[Any]) -> list[Any]:
        waited.extend(engine.period - period for period, _ in refs)
        return [numbers for _, numbers in refs]

    monkeypatch.setattr(drawing, "ray", SimpleNamespace(get=get))
    job = replace(job_of(plan()), prompts=4, responses=1, ahead=ahead)
    drawn = Drawing(job, Data(), [[engine]], 0, ())  # type: ignore[arg-type]
    flying = []
    for period in range(1, PERIODS + 1):
        engine.period = period
        drawn.fill(PERIODS - period + 1)
        waited.clear()
        assert len(drawn.take(4)) == 4
        assert period == 1 or ahead < 4 or min(waited) > 0, "waits for what it has just asked for"
        flying.append(sum(len(flight.prompts) for flight in drawn.flights))
    assert flying == [min(ahead, 4 * (PERIODS - period)) for period in range(1, PERIODS + 1)]
