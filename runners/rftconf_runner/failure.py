"""An unforeseen failure in one sentence: the error, its process and time, and the file with the traceback."""

from __future__ import annotations

import traceback
from pathlib import Path

from rftconf_runner import disk
from rftconf_runner.watch import Watch

FILE = "failure.txt"
MEMORY = ("out of memory", "OutOfMemory", "Cannot allocate memory")
ADVICE = (
    ": there is not enough memory; smaller micro-batches, a smaller share for engines (gpu_memory_utilization), states in the host's memory "
    "(offload) or more GPUs, and `--dry-run --gpu NAME` prices them"
)


def describe_failure(error: BaseException, watch: Watch) -> str:
    """Return one sentence about the failure: the error, its process, the period and the phase."""
    cause = getattr(error, "cause", None) or error
    text = next((line.strip() for line in reversed(str(cause).splitlines()) if line.strip()), "")
    what = f"{type(cause).__name__}: {text}" if text else type(cause).__name__
    process = getattr(error, "function_name", None)
    where = f" in {process}" if process else ""
    when = f", period {watch.period}, phase {watch.phase}" if watch.period else ", before the first period"
    return (
        what.rstrip(".")
        + where
        + when
        + (ADVICE if any(mark in f"{type(cause).__name__} {cause}" for mark in MEMORY) else "")
    )


def written(error: BaseException, folder: Path) -> str:
    """Write the traceback into the folder and return a clause with its file; empty where it cannot be written."""
    try:
        disk.put(folder / FILE, "".join(traceback.format_exception(error)))
    except OSError:
        return ""
    return f"; {folder / FILE} has the traceback"
