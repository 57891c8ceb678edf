"""The saving of a run: as often as the plan says, at its end, and before it stops over an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rftconf_runner import checkpoint
from rftconf_runner.advantage_estimation import next_coef
from rftconf_runner.checkpoint import State
from rftconf_runner.drawing import Drawing, Waiting
from rftconf_runner.job import Job
from rftconf_runner.places import Places, write


class Keeper:
    """The run's state after the last whole period, and the checkpoints that are made of it.

    Saved is only what the engines hold too, or they could not be given the same weights again.
    """

    def __init__(self, job: Job, folder: Path, tokenizer: Any, places: Places, start: Path | None) -> None:
        self.job, self.folder, self.tokenizer, self.places = job, folder, tokenizer, places
        checkpoint.clean(folder)
        coef = job.kl_reward.coef if job.kl_reward else 0.0
        self.state = checkpoint.state_of(start) if start else State(0, coef, 0)
        self.saved, self.whole, self.due = self.state.period, True, False
        self.waiting: Callable[[], list[Waiting]] = list

    def learns(self) -> None:
        """The weights are in the midst of a period from now on."""
        self.whole = False

    def ends(self, period: int, kl: float, drawing: Drawing) -> None:
        """A period is over, with this mean KL."""
        penalty, coef = self.job.kl_reward, 0.0
        if penalty:
            coef = next_coef(penalty, self.state.kl_coef, kl, self.job.sequences)
        self.state, self.waiting, self.whole = State(period, coef, drawing.drawn), drawing.left(), True
        self.due |= bool(self.job.save_every and period % self.job.save_every == 0)

    def synced(self) -> bool:
        """True when the engines hold what was learned."""
        return self.state.period % self.job.every == 0

    def save(self) -> None:
        """A checkpoint of the last whole period; of those before stay as many as the plan says."""
        state = replace(self.state, waiting=self.waiting())
        to = checkpoint.name(self.folder, state.period)
        checkpoint.save(to, state, lambda folder: write(self.places, self.tokenizer, folder))
        checkpoint.keep_last(self.folder, self.job.keep)
        self.saved, self.due = state.period, False

    def rescues(self) -> bool:
        """True when something was learned that no checkpoint holds and that is whole."""
        return self.whole and self.state.period > self.saved and self.synced()
