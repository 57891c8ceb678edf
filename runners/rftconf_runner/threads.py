"""With how many threads a process computes, where the machine is the run's own."""

from __future__ import annotations

import os

from rftconf_runner.job import Job


def threads(job: Job, processors: int) -> int:
    """For each process: what is there, shared by those that compute at once. Trainers and engines take turns, unless
    answers are drawn ahead."""
    trainers, engines = job.ranks, job.engines * job.tp
    at_once = trainers + engines if job.ahead else max(trainers, engines)
    return max(processors // at_once, 1)


def share_processors(job: Job) -> None:
    """For every process that is started from here. What the user has set is left.

    How long a thread asks for work before it sleeps is left to OpenMP: it is best where processors are the run's own, as
    they are by `threads`. Where others use them too GOMP_SPINCOUNT=1000 helps: the demo's periods of 128 tokens took 2.4 s
    with OpenMP's own and 2.6 s with that on two free processors; beside two busy processes 8.7 and more against 6.3 s.
    """
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()  # macOS has no such call
    os.environ.setdefault("OMP_NUM_THREADS", str(threads(job, own or 1)))
