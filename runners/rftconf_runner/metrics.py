"""One JSON line per rollout period, flushed as it is written, and the same numbers for the plan's trackers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftconf_runner import disk
from rftconf_runner.trackers import Tracker
from rftconf_runner.watch import Watch

if TYPE_CHECKING:
    from rftconf_runner.policy import Updated


class Metrics:
    """`metrics.jsonl` in the run's folder, and what is watching. A run that goes on keeps the `done` periods' lines."""

    def __init__(self, folder: Path, done: int, watch: Watch, trackers: Sequence[Tracker] = ()) -> None:
        self.file, self.watch, self.trackers = folder / "metrics.jsonl", watch, trackers
        disk.cut(self.file, done)

    def log(self, **values: Any) -> None:
        """Numbers are written in full."""
        disk.add(self.file, json.dumps(values))
        for tracker in self.trackers:
            tracker.log(values["period"], plain(values))
        self.watch.periodic(values)

    def follow(self, period: int, numbers: dict[str, float]) -> None:
        """Give trackers further numbers of a period."""
        for tracker in self.trackers:
            tracker.log(period, numbers)


def plain(values: dict[str, Any]) -> dict[str, float]:
    """A number for each name; a histogram's bars as name/bar."""
    numbers: dict[str, float] = {}
    for name, value in values.items():
        numbers |= (
            {f"{name}/{bar}": count for bar, count in value.items()} if isinstance(value, dict) else {name: value}
        )
    del numbers["period"]
    return numbers


def of_updates(
    updated: Sequence[Sequence[Updated]], valued: Sequence[Sequence[tuple[float, float, float]]]
) -> dict[str, float]:
    """Gather the metrics of a period's last update: the loss is the sum of what each rank holds of it."""
    figures: dict[str, float] = {}
    if updated:
        last = updated[-1]
        figures |= {"loss": sum(update.loss for update in last), "gradient_norm": last[0].gradient_norm}
        figures |= {"learning_rate": last[0].learning_rate}
        figures |= {} if last[0].parity is None else {"parity": last[0].parity}
    if valued:
        figures |= {"critic_loss": sum(loss for loss, _, _ in valued[-1]), "critic_gradient_norm": valued[-1][0][1]}
    return figures
