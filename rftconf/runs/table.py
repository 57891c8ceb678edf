"""Runs side by side: how far each came, and what it earned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rftconf.report.chart import blocks_text
from rftconf.report.screen import Screen, columns_of, joined, printable

HEAD = ("run", "periods", "reward", "", "lag", "lost", "checkpoint")


@dataclass(frozen=True, slots=True)
class RunSeen:
    """The facts in a run's folder. `wanted` counts the plan's periods, None where there is no plan; `lost` counts the
    processes that were replaced, `unread` the lines of its files that are no JSON."""

    name: str
    metrics: list[dict[str, Any]]
    wanted: int | None
    lost: int
    checkpoint: str
    unread: int
    validations: list[dict[str, Any]] = field(default_factory=list)

    def series(self) -> dict[str, list[float]]:
        """Each metric's numbers over the periods; those that some period lacks are left out."""
        names = [name for name, value in (self.metrics[0] if self.metrics else {}).items() if _is_number(value)]
        columns = {name: [metric.get(name) for metric in self.metrics] for name in names}
        return {name: [float(v) for v in column] for name, column in columns.items() if all(map(_is_number, column))}  # type: ignore[arg-type] # no number is left

    def validation_series(self) -> dict[str, list[tuple[int, float]]]:
        """Each figure of each validation set, with the periods after which it was validated; 0 is before the first."""
        points = dict[str, list[tuple[int, float]]]()
        for row in self.validations:
            period, sets = row.get("period"), row.get("sets")
            for name, figures in sets.items() if isinstance(period, int) and isinstance(sets, dict) else ():
                for figure, value in figures.items() if isinstance(figures, dict) else ():
                    if isinstance(period, int) and _is_number(value):
                        points.setdefault(f"{name}, {figure}", []).append((period, float(value)))
        return points


def runs_text(runs: Sequence[RunSeen], screen: Screen) -> str:
    """The table of runs, a line each."""
    rows = [HEAD, *(_row(run) for run in runs)]
    widths = [max(columns_of(row[index]) for row in rows) for index in range(len(HEAD))]
    lines = [
        "  ".join(cell + " " * (width - columns_of(cell)) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    notes = [f"{run.name}: {run.unread} lines are no JSON and were left out" for run in runs if run.unread]
    return joined([screen.style(lines[0].rstrip(), "bold"), *lines[1:], *notes])


def runs_json(runs: Sequence[RunSeen]) -> list[dict[str, Any]]:
    """The same for programs, with every period's numbers."""
    return [asdict(run) for run in runs]


def _row(run: RunSeen) -> tuple[str, ...]:
    rewards = run.series().get("reward", [])
    done = f"{len(run.metrics)}/{run.wanted}" if run.wanted is not None else str(len(run.metrics))
    earned = f"{rewards[0]:.4g} to {rewards[-1]:.4g}" if rewards else "-"
    lags = [lag for lag in (m.get("lag") for m in run.metrics) if isinstance(lag, int)]
    lag = str(max(lags)) if lags else "-"
    return printable(run.name), done, earned, _spark(rewards), lag, str(run.lost), run.checkpoint or "-"


def _spark(values: Sequence[float], most: int = 20) -> str:
    if not values:
        return ""
    picked = [values[len(values) * index // most] for index in range(most)] if len(values) > most else values
    return blocks_text(picked, min(picked), max(picked))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
