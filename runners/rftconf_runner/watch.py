"""The display of a run while it runs: a line a period, one line that moves, JSON lines, or nothing."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from rftconf_runner import disk

PHASES = ("generate", "reward", "update", "sync", "validate", "save")
MODES = ("lines", "live", "json", "quiet")
BAR = 20


class Watch:
    """The run's current period and phase, shown by `mode`: `live` rewrites one line of a terminal with them, `json`
    prints the lines of `metrics.jsonl`, and events."""

    def __init__(self, mode: str = "lines", events: Path | None = None, stream: TextIO | None = None) -> None:
        self.mode, self.events, self.stream = mode, events, stream or sys.stdout
        self.period, self.periods, self.phase = 0, 0, PHASES[0]
        self.last: Mapping[str, Any] = {}
        self.lost_since: float | None = None
        self.began = time.monotonic()

    def enter(self, period: int, phase: str) -> None:
        """The run is in this phase now."""
        self.period, self.phase = period, phase
        if self.mode == "live":
            self._rewrite(self.status())

    def status(self) -> str:
        """One line: how far, and the last period's numbers."""
        done = self.period - 1
        full = BAR * done // max(self.periods, 1)
        position = PHASES.index(self.phase)
        phases = "".join(
            "=" if number < position else ">" if number == position else "." for number in range(len(PHASES))
        )
        seconds = sum(value for name, value in self.last.items() if name.endswith("_seconds"))
        numbers = (
            f"  reward {self.last['reward']:.4g}  lag {self.last['lag']}  {self.last['tokens'] / max(seconds, 1e-9):.0f} tokens/s"
            if self.last
            else ""
        )
        bar = "#" * full + "." * (BAR - full)
        return f"[{bar}] {done}/{self.periods}{numbers}  [{phases}] {self.phase}"

    def periodic(self, values: Mapping[str, Any]) -> None:
        """Show the numbers of a period that is done."""
        self.last = values
        if self.lost_since is not None:
            self.event("recovered", seconds=time.monotonic() - self.lost_since)
            self.lost_since = None
        if self.mode == "json":
            self._print(json.dumps(values))
        if self.mode == "lines":
            texts = (
                f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                for name, value in values.items()
            )
            self._print("  ".join(texts))

    def recovers(self, what: str, start: str, began: float) -> None:
        """Report that a process died, and that the run goes on from `start`."""
        self.lost_since = began if self.lost_since is None else self.lost_since
        self.event("lost", what=what, going_on_from=start)

    def event(self, name: str, **values: Any) -> None:
        """Report an event that is of no period; it is kept in the file `events`."""
        if self.events:
            disk.add(self.events, json.dumps({"event": name, "period": self.period, **values}))
        if self.mode == "json":
            self._print(json.dumps({"event": name, **values}))
        elif self.mode != "quiet":
            words = "  ".join(
                f"{key.replace('_', ' ')} {value:.4g}" if isinstance(value, (int, float)) else f"{value}"
                for key, value in values.items()
            )
            self._print(f"{name}: {words}")

    def close(self) -> None:
        """End the display; the last line stays."""
        if self.mode == "live":
            self.period, self.phase = self.period + 1, PHASES[-1]
            self._rewrite(self.status())
            self.stream.write("\n")

    def _print(self, line: str) -> None:
        if self.mode == "live":
            self._rewrite("")
        print(line, file=self.stream, flush=True)

    def _rewrite(self, line: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        self.stream.write("\r" + line[:width].ljust(width) + ("\r" if not line else ""))
        self.stream.flush()


def mode_of(*, quiet: bool, json_lines: bool, terminal: bool) -> str:
    """Return the mode of display that the options ask for; `live`, a line that moves, needs a terminal."""
    return "quiet" if quiet else "json" if json_lines else "live" if terminal else "lines"
