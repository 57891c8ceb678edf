"""With how many threads a process computes, where the machine is the run's own."""

from __future__ import annotations

import os

from rftconf_runner.job import Job

SPINS = "1000"
"""How often a thread asks for work before it sleeps. With as many as GNU OpenMP's own it keeps its processor from what has
work: beside two busy processes on two processors, an update of the demo took 1.7 times as long with two threads as with
one, and 0.8 times with these."""


def threads(job: Job, processors: int) -> int:
    """For each process: what is there, shared by those that compute at once. Trainers and engines take turns, unless
    answers are drawn ahead."""
    trainers, engines = job.ranks, job.engines * job.tp
    at_once = trainers + engines if job.ahead else max(trainers, engines)
    return max(processors // at_once, 1)


def share_processors(job: Job) -> None:
    """For every process that is started from here. What the user has set is left."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()  # macOS has no such call
    os.environ.setdefault("OMP_NUM_THREADS", str(threads(job, own or 1)))
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
