"""The plan's trackers, which get the numbers of `metrics.jsonl` too: each through its own library."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from rftconf.plan.model import Plan
from rftconf_runner import disk

LIBRARIES = {"tensorboard": "tensorboardX", "wandb": "wandb", "mlflow": "mlflow"}
"""A plan's name for a tracker, and the package that is imported for it."""
NOT_NEEDED = {"console", "stdout", "file", "jsonl"}
"""What the run's folder and the terminal have anyway."""


class Tracker(Protocol):
    """Gets every period's numbers."""

    def log(self, period: int, values: Mapping[str, float]) -> None:
        """Log the numbers of one period."""

    def close(self) -> None:
        """Close the tracker after the last period."""


def named(plan: Plan) -> list[str]:
    """The plan's trackers."""
    loggers: Any = plan.identity.loggers
    return [str(logger) for logger in (loggers if isinstance(loggers, list) else [loggers] if loggers else [])]


def missing(plan: Plan) -> list[tuple[str, str]]:
    """Plan path and reason, of trackers whose library is not installed."""
    absent = [
        (name, LIBRARIES[name]) for name in named(plan) if name in LIBRARIES and find_spec(LIBRARIES[name]) is None
    ]
    return [
        (
            "identity.loggers",
            f"names {name}; `pip install {package}` into the runner's environment, or --no-trackers logs to the folder only",
        )
        for name, package in absent
    ]


def left_out(plan: Plan) -> list[str]:
    """Trackers that the runner does not know."""
    return [name for name in named(plan) if name not in LIBRARIES and name not in NOT_NEEDED]


def opened(plan: Plan, folder: Path, done: int) -> list[Tracker]:
    """Open the trackers that the plan names. `done` periods are there already, where a run goes on."""
    title = plan.identity.project or "rftconf", plan.identity.experiment or folder.name
    kinds: dict[str, type[_TensorBoard | _Wandb | _Mlflow]] = {
        "tensorboard": _TensorBoard,
        "wandb": _Wandb,
        "mlflow": _Mlflow,
    }
    return [
        kinds[name](folder, str(title[0]), str(title[1]), done) for name in dict.fromkeys(named(plan)) if name in kinds
    ]


def close(trackers: Sequence[Tracker]) -> None:
    """Close all trackers."""
    for tracker in trackers:
        tracker.close()


class _TensorBoard:
    """Event files in the run's folder. Periods after `done` that an earlier run has written are hidden."""

    def __init__(self, folder: Path, project: str, experiment: str, done: int) -> None:
        from tensorboardX import SummaryWriter

        self.writer: Any = SummaryWriter(
            str(folder / "tensorboard"), purge_step=done + 1, comment=f"{project}/{experiment}"
        )

    def log(self, period: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self.writer.add_scalar(name, value, period)
        self.writer.flush()

    def close(self) -> None:
        self.writer.close()


def _known(folder: Path, tracker: str, done: int) -> str:
    """Return the tracker's id of a run that goes on; empty for a run that begins."""
    file = folder / f"{tracker}.id"
    return file.read_text(encoding="utf-8").strip() if done and file.exists() else ""


class _Wandb:
    """One run of the server, also where it goes on. Periods that it has already are the same numbers, and it leaves them."""

    def __init__(self, folder: Path, project: str, experiment: str, done: int) -> None:
        import wandb

        own = _known(folder, "wandb", done) or os.environ.get("WANDB_RUN_ID") or uuid4().hex
        self.run: Any = wandb.init(project=project, name=experiment, dir=str(folder), id=own, resume="allow")
        disk.put(folder / "wandb.id", own)

    def log(self, period: int, values: Mapping[str, float]) -> None:
        self.run.log(dict(values), step=period)

    def close(self) -> None:
        self.run.finish()


class _Mlflow:
    """One run of the server, which makes its id."""

    def __init__(self, folder: Path, project: str, experiment: str, done: int) -> None:
        import mlflow

        self.mlflow: Any = mlflow
        mlflow.set_experiment(project)
        begun = mlflow.start_run(run_id=_known(folder, "mlflow", done) or None, run_name=experiment)
        disk.put(folder / "mlflow.id", begun.info.run_id)

    def log(self, period: int, values: Mapping[str, float]) -> None:
        self.mlflow.log_metrics(dict(values), step=period)

    def close(self) -> None:
        self.mlflow.end_run()
