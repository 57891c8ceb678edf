"""Runs side by side: how far each came, and what it earned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rftconf.report.screen import Screen, columns_of, joined, printable
from rftconf.runs.curve import BLOCKS

HEAD = ("run", "periods", "reward", "", "lag", "lost", "checkpoint")


@dataclass(frozen=True, slots=True)
class RunSeen:
    """What a run's folder tells. `wanted` periods are the plan's, None where there is no plan; `lost` counts the
    processes that were replaced, `unread` the lines of its files that are no JSON."""

    name: str
    metrics: list[dict[str, Any]]
    wanted: int | None
    lost: int
    checkpoint: str
    unread: int

    def series(self) -> dict[str, list[float]]:
        """Each metric's numbers over the periods; those that some period lacks are left out."""
        names = [name for name, value in (self.metrics[0] if self.metrics else {}).items() if _is_number(value)]
        columns = {name: [one.get(name) for one in self.metrics] for name in names}
        return {name: [float(v) for v in found] for name, found in columns.items() if all(map(_is_number, found))}  # type: ignore[arg-type] # no number is left


def runs_text(runs: Sequence[RunSeen], screen: Screen) -> str:
    """A line each."""
    rows = [HEAD, *(_row(one) for one in runs)]
    widths = [max(columns_of(row[at]) for row in rows) for at in range(len(HEAD))]
    lines = [
        "  ".join(cell + " " * (width - columns_of(cell)) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    notes = [f"{one.name}: {one.unread} lines are no JSON and were left out" for one in runs if one.unread]
    return joined([screen.style(lines[0].rstrip(), "bold"), *lines[1:], *notes])


def runs_json(runs: Sequence[RunSeen]) -> list[dict[str, Any]]:
    """The same for programs, with every period's numbers."""
    return [asdict(one) for one in runs]


def _row(one: RunSeen) -> tuple[str, ...]:
    rewards = one.series().get("reward", [])
    done = f"{len(one.metrics)}/{one.wanted}" if one.wanted is not None else str(len(one.metrics))
    earned = f"{rewards[0]:.4g} to {rewards[-1]:.4g}" if rewards else "-"
    lags = [lag for lag in (m.get("lag") for m in one.metrics) if isinstance(lag, int)]
    lag = str(max(lags)) if lags else "-"
    return printable(one.name), done, earned, _spark(rewards), lag, str(one.lost), one.checkpoint or "-"


def _spark(values: Sequence[float], most: int = 20) -> str:
    if not values:
        return ""
    picked = [values[len(values) * at // most] for at in range(most)] if len(values) > most else values
    low, high = min(picked), max(picked)
    return "".join(BLOCKS[1 + round((value - low) / (high - low or 1) * 7)] for value in picked)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
