"""With how many threads a process computes, where the machine is the run's own."""

from __future__ import annotations

import os

from rftconf_runner.job import Job

SPINS = "1000"
"""How often a thread asks for work before it sleeps. With OpenMP's own 300,000 a period of the demo of 128 tokens took 2.4 s
instead of 2.6 on two processors that nothing else used; but beside three busy processes one of 16 tokens took 1.5 s with these,
2.7 s with 10,000, and with OpenMP's own twelve did not end in 90 s: what spins keeps its processor from what has work."""


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
