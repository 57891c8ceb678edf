"""A run from its job on: what it reads before anything starts, and the attempts that it takes where a process dies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rftconf_runner.data import Prompts, tokenizer_of
from rftconf_runner.driver import Run
from rftconf_runner.faults import Faults
from rftconf_runner.job import Job
from rftconf_runner.keeping import Keeper
from rftconf_runner.places import Places
from rftconf_runner.record import Record
from rftconf_runner.supervision import supervised
from rftconf_runner.trackers import Tracker
from rftconf_runner.validation import Validator, questions_of
from rftconf_runner.watch import Watch


def train(
    job: Job, folder: Path, start: Path | None = None, stopped: Callable[[], bool] = lambda: False,
    watch: Watch | None = None, trackers: Sequence[Tracker] = (), living: Places | None = None,
) -> Places:  # fmt: skip
    """Run all of `job`, or what follows the checkpoint `start`, until `stopped`; on engines of `living`, in `folder`."""
    tokenizer, watch = tokenizer_of(job), watch or Watch()
    data, questions = Prompts(job, tokenizer), questions_of(job, tokenizer)
    job, watch.periods = data.job, data.periods()

    def attempt(places: Places, start: Path | None, faults: Faults) -> None:
        keeper = Keeper(job, folder, tokenizer, places, start)
        record = Record(folder, keeper.state.period, watch, trackers, faults)
        validator = Validator(job, questions, places, tokenizer, folder, record)
        Run(job, tokenizer, data, places, keeper, record, validator).until(stopped)

    places = supervised(job, folder, start, watch, attempt, living)
    watch.close()
    return places
