"""Sets with how many threads a process computes and how much memory it keeps, where the machine is the run's own."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

from rftconf_runner.job import Job

SPINS = "1000"
"""How often a thread asks for work before it sleeps. With OpenMP's own 300,000 a period of the demo of 128 tokens took 2.4 s
instead of 2.6 on two processors that nothing else used; but beside three busy processes one of 16 tokens took 1.5 s with these,
2.7 s with 10,000, and with OpenMP's own twelve did not end in 90 s: what spins keeps its processor from what has work."""

KEPT_BYTES = 1 << 30
"""Of memory that a process has freed and keeps for its next step. The C library gives a tensor's memory back at once as it
stands, and each page of the next one has to be asked for anew: an update of the demo of 240 tokens took 1.94, 1.94 and 1.77 s
on a CPU, and 1.76, 1.71 and 1.68 s without that (medians of seven, in turn), at the same peak of memory."""
KEEPS = {"MALLOC_MMAP_THRESHOLD_": str(KEPT_BYTES), "MALLOC_TRIM_THRESHOLD_": str(KEPT_BYTES)}
"""glibc's names; other C libraries do not read them."""
SLACK_NANOSECONDS = 50_000_000
"""How late a thread that waits with a time limit may wake. vLLM has thirteen of gloo's for groups of one rank, each of which
looks a hundred times a second for what never comes. An update beside such an engine at rest took 3 % longer, and 1 % with a
slack of 20 ms, which the kernel uses to wake them together (medians of 110, in turn)."""
PR_SET_TIMERSLACK = 29
"""Of Linux, of the calling thread and of those that it starts; 0 is what it had when it began."""


def threads(job: Job, processors: int) -> int:
    """Return the threads of each process: the processors, shared by those that compute at once. Trainers and engines
    take turns, unless answers are drawn ahead."""
    trainers, engines = job.ranks, job.engines * job.tp
    at_once = trainers + engines if job.ahead else max(trainers, engines)
    return max(processors // at_once, 1)


def share_processors(job: Job) -> None:
    """Set the number of threads of every process that is started from here, but for variables that the user has set."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()  # macOS has no such call
    os.environ.setdefault("OMP_NUM_THREADS", str(threads(job, own or 1)))
    for name, value in {"GOMP_SPINCOUNT": SPINS, **KEEPS}.items():
        os.environ.setdefault(name, value)


@contextmanager
def patient(device: str) -> Iterator[None]:
    """Threads that are started meanwhile wake late where it is only that their time is over: what comes for them wakes them
    at once. Linux alone knows this; elsewhere, and beside any `device` but the processor itself, nothing happens."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None) if device == "cpu" else None
    if prctl:
        prctl(PR_SET_TIMERSLACK, SLACK_NANOSECONDS)
    try:
        yield
    finally:
        if prctl:
            prctl(PR_SET_TIMERSLACK, 0)
