"""One JSON line per rollout period, flushed as it is written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rftconf_runner.policy import Updated


class Metrics:
    """`metrics.jsonl` in the run's folder, and a line on the terminal. A run that goes on keeps the `done` periods' lines."""

    def __init__(self, folder: Path, done: int = 0) -> None:
        self.file = folder / "metrics.jsonl"
        kept = self.file.read_text(encoding="utf-8").splitlines(keepends=True)[:done] if self.file.exists() else []
        self.file.write_text("".join(kept), encoding="utf-8")

    def log(self, **values: Any) -> None:
        """Numbers are written in full; the terminal shows four digits."""
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(values) + "\n")
        shown = (
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in values.items()
        )
        print("  ".join(shown), flush=True)

    def of_updates(
        self, updated: Sequence[Sequence[Updated]], valued: Sequence[Sequence[tuple[float, float, float]]]
    ) -> dict[str, float]:
        """Of a period's last update: the loss is the sum of what each rank holds of it."""
        found: dict[str, float] = {}
        if updated:
            last = updated[-1]
            found |= {"loss": sum(one.loss for one in last), "gradient_norm": last[0].gradient_norm}
            found |= {"learning_rate": last[0].learning_rate}
        if valued:
            found |= {"critic_loss": sum(loss for loss, _, _ in valued[-1]), "critic_gradient_norm": valued[-1][0][1]}
        return found
