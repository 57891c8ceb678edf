"""Turns on a shared GPU: engines sleep while trainers work, and trainers' states wait in the host's memory while
engines answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rftconf_runner.consistency_checks import GateError
from rftconf_runner.job import Job
from rftconf_runner.places import Places, call
from rftconf_runner.score_columns import BadRewardError


@contextmanager
def engines_turn(job: Job, places: Places) -> Iterator[None]:
    """Trainers have left what the plan has them leave before it begins, and the memory that PyTorch keeps for itself where engines are
    about to wake; engines sleep before it ends. Each takes back by itself what it needs: an engine that gets weights or is asked, a
    trainer that is called."""
    if job.rests or job.sleeps:
        call((*places.ranks, *places.critics), "rest")
    try:
        yield
    except (BadRewardError, GateError):  # what was learned is saved then
        _sleep(job, places)
        raise
    _sleep(job, places)


def _sleep(job: Job, places: Places) -> None:
    if job.sleeps:
        call([rank for engine in places.engines for rank in engine], "sleep")
