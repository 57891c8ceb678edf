"""The files that the runner leaves in a run's folder, read without the runner."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rftconf.base.errors import UnreadableError, UsageError
from rftconf.runs.table import RunSeen

METRICS, EVENTS, PLAN, VALIDATIONS = "metrics.jsonl", "events.jsonl", "plan.json", "validation.jsonl"


def runs_in(folders: Iterable[Path]) -> list[RunSeen]:
    """Runs, or those in a folder of runs, by name. Raises UsageError for a folder that is not there."""
    runs: list[RunSeen] = []
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder")
        inside = [folder] if (folder / METRICS).is_file() else sorted(f.parent for f in folder.glob(f"*/{METRICS}"))
        runs += map(run_seen, inside)
    return runs


def run_seen(folder: Path) -> RunSeen:
    """Return the facts of one run's folder, also while it runs."""
    metrics, bad = _lines(folder / METRICS)
    events, unread = _lines(folder / EVENTS)
    validations, torn = _lines(folder / VALIDATIONS)
    checkpoints = sorted(path.name for path in folder.glob("step-*") if path.suffix != ".partial")
    lost = sum(event.get("event") == "lost" for event in events)
    periods, unread = _rollouts_wanted(folder / PLAN), bad + unread + torn
    return RunSeen(str(folder), metrics, periods, lost, (checkpoints or [""])[-1], unread, validations)


def _lines(file: Path) -> tuple[list[dict[str, Any]], int]:
    if not file.is_file():
        return [], 0
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UnreadableError(error.strerror or str(error), file=str(file)) from None
    read = [_object(line) for line in text.splitlines()]
    return [line for line in read if line is not None], read.count(None)


def _object(line: str) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):  # also a line that is being written
        return None
    return data if isinstance(data, dict) else None


def _rollouts_wanted(file: Path) -> int | None:
    """The plan's rollout periods."""
    for node in _plan(file):
        length = node.get("run_length") if isinstance(node, dict) else None
        number = length.get("rollouts") if isinstance(length, dict) else None
        return number if isinstance(number, int) else None
    return None


def _plan(file: Path) -> Iterator[Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return
    stages = data.get("stages") if isinstance(data, dict) else None
    yield from stages if isinstance(stages, list) else ()
