"""A ledger of the sequences each update learned from: it proves that none was learned from twice, and none lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rftconf_runner import disk

if TYPE_CHECKING:
    from rftconf_runner.batch import Batch


class Ledger:
    """`ledger.jsonl` in the run's folder, a line a period. A run that goes on keeps the `done` periods' lines."""

    def __init__(self, folder: Path, done: int = 0) -> None:
        self.file = folder / "ledger.jsonl"
        disk.cut(self.file, done)

    def note(self, period: int, updates: Sequence[Sequence[int]], batch: Batch, waiting: Sequence[int]) -> None:
        """Numbers of the sequences of each update, of those that were drawn and not learned from, and of those drawn ahead."""
        unused = [] if updates else batch.samples.own.tolist()
        refused = [*batch.refused, *unused]
        line = {"period": period, "updates": updates, "refused": refused, "waiting": waiting}
        disk.add(self.file, json.dumps(line))


def faults(lines: Sequence[dict[str, Any]], passes: int = 1) -> list[str]:
    """List the faults of a whole run's ledger in words; none when every sequence that was drawn was learned from in
    each pass once, or refused, or waits."""
    learned = Counter(number for line in lines for update in line["updates"] for number in update)
    refused = Counter(number for line in lines for number in line["refused"])
    waiting = Counter(lines[-1]["waiting"] if lines else ())
    problems = [
        f"sequence {n} was learned from {c} times in {passes} passes" for n, c in learned.items() if c != passes
    ]
    problems += [
        f"sequence {n} is in the ledger twice" for n, c in (refused + waiting).items() if c > 1 or n in learned
    ]
    known = learned.keys() | refused.keys() | waiting.keys()
    problems += [f"sequence {n} is lost" for n in range(max(known, default=-1) + 1) if n not in known]
    problems += [
        f"line {index} is of period {line['period']}" for index, line in enumerate(lines, 1) if line["period"] != index
    ]
    return problems
