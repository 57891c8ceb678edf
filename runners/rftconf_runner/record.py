"""The record of each period: metrics, the ledger and the lines on the screen; a test's faults strike here."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rftconf_runner.batch import Batch
from rftconf_runner.faults import Faults
from rftconf_runner.ledger import Ledger
from rftconf_runner.metrics import Metrics
from rftconf_runner.samples import Lessons
from rftconf_runner.trackers import Tracker
from rftconf_runner.watch import Watch

CLOCKS = {
    "generate": "rollout_seconds",
    "reward": "rollout_seconds",
    "update": "update_seconds",
    "sync": "sync_seconds",
}
"""Under which name the time in a phase is logged."""

VALIDATION = "validation"
MOST_EMPTY = 3
"""Periods in a row without any reward, after which somebody is told."""
HINT = (
    f"no answer of {MOST_EMPTY} periods in a row had a reward: nothing is learned from equal rewards. Does the reward function find the "
    "answer in the form in which this model writes it, and is response_max_tokens long enough (cut_answers)?"
)


class Record:
    """The record of a run of which `done` periods are over."""

    def __init__(
        self, folder: Path, done: int, watch: Watch, trackers: Sequence[Tracker], faults: Faults
    ) -> None:  # fmt: skip
        self.metrics, self.ledger = Metrics(folder, done, watch, trackers), Ledger(folder, done)
        self.watch, self.faults, self.done = watch, faults, done
        self.clock, self.spent, self.since, self.empty = "", dict[str, float](), 0.0, 0

    @property
    def periods(self) -> int:
        """Return the periods of the whole run."""
        return self.watch.periods

    def validated(self, period: int, figures: Mapping[str, Mapping[str, float]]) -> None:
        """Show a validation's figures by data set; trackers have them under the period."""
        numbers = {f"{VALIDATION}/{name}/{key}": value for name, row in figures.items() for key, value in row.items()}
        self.metrics.follow(period, numbers)
        for name, row in figures.items():
            self.watch.event(VALIDATION, set=name, **row, period=period)

    def enter(self, period: int, phase: str) -> None:
        """The run is in this phase now."""
        self._ticks(CLOCKS.get(phase, ""))
        self.watch.enter(period, phase)
        self.faults.fire(period, phase)

    def note(
        self, period: int, batch: Batch, parts: Sequence[Lessons], waiting: Sequence[int],
        *more: Mapping[str, float],
    ) -> None:  # fmt: skip
        """The period is over: what it learned from, which sequences wait, and `more` numbers."""
        self._ticks("")
        self.ledger.note(period, [part.samples.own.tolist() for part in parts], batch, waiting)
        self.empty = 0 if any(batch.rewards) else self.empty + 1
        if self.empty == MOST_EMPTY:
            self.watch.event("hint", what=HINT)
        lags = Counter((period - 1 - batch.samples.numbers.versions).tolist())
        numbers = {name: value for part in more for name, value in part.items()}
        self.metrics.log(
            period=period, reward=sum(batch.rewards) / len(batch.rewards), **numbers,
            **({"rewards": {**batch.domains}} if batch.domains else {}), lag=max(lags),
            lags={str(lag): lags[lag] for lag in sorted(lags)}, tokens=batch.samples.tokens, refused=len(batch.refused),
            **{name: self.spent.get(name, 0.0) for name in dict.fromkeys(CLOCKS.values())},
        )  # fmt: skip
        self.spent = {}

    def _ticks(self, clock: str) -> None:
        now = time.monotonic()
        if self.clock:
            self.spent[self.clock] = self.spent.get(self.clock, 0.0) + now - self.since
        self.clock, self.since = clock, now
