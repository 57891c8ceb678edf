"""One JSON line per rollout period, flushed as it is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Metrics:
    """`metrics.jsonl` in the run's folder, and a line on the terminal."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "metrics.jsonl"
        self.file.write_text("", encoding="utf-8")

    def log(self, **values: Any) -> None:
        """Numbers are written in full; the terminal shows four digits."""
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(values) + "\n")
        shown = (
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in values.items()
        )
        print("  ".join(shown), flush=True)
