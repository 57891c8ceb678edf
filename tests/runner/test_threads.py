"""How a machine's processors are shared."""

from __future__ import annotations

import ctypes
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from rftconf_runner.job_reader import job_of
from rftconf_runner.threads import KEEPS, SLACK_NANOSECONDS, patient, share_processors, threads

from tests.runner.test_job import plan


def test_processes_that_compute_at_once_share_the_processors() -> None:
    job = job_of(plan())
    assert (job.ranks, job.engines, job.ahead) == (1, 1, 0)
    assert threads(job, 8) == 8
    assert threads(replace(job, ahead=8), 8) == 4
    assert threads(replace(job, ranks=2, engines=3), 8) == 2
    assert threads(replace(job, ranks=2, engines=1, tp=4), 8) == 2
    assert threads(replace(job, ranks=16, engines=16), 8) == 1


def test_what_the_user_has_set_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    target = {"OMP_NUM_THREADS": "3", "GOMP_SPINCOUNT": "7", "MALLOC_TRIM_THRESHOLD_": "131072"}
    monkeypatch.setattr(os, "environ", target)
    share_processors(job_of(plan()))
    assert target == {**KEEPS, "OMP_NUM_THREADS": "3", "GOMP_SPINCOUNT": "7", "MALLOC_TRIM_THRESHOLD_": "131072"}
    del target["OMP_NUM_THREADS"]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    share_processors(job_of(plan()))
    assert target["OMP_NUM_THREADS"] == "4"


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a thread wake late")
def test_threads_started_meanwhile_wake_late_and_no_other_does() -> None:
    prctl, asks = ctypes.CDLL(None).prctl, 30  # PR_GET_TIMERSLACK
    before = prctl(asks)
    with patient("cpu"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(prctl, asks).result() == SLACK_NANOSECONDS
    assert prctl(asks) == before < SLACK_NANOSECONDS
    with patient("cuda"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(prctl, asks).result() == before


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a thread wake late")
def test_what_fails_meanwhile_leaves_no_slack() -> None:
    prctl, asks = ctypes.CDLL(None).prctl, 30
    before = prctl(asks)
    with pytest.raises(ValueError, match="no model"), patient("cpu"):
        raise ValueError("no model")
    assert prctl(asks) == before
