"""What a migration's measurement finds of each example, and the figures of a set."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Case:
    """One example. Verdicts are `accepted` or the loader's words; the lists are empty where all is well."""

    name: str
    own: str
    before: str
    exit: int = 0
    after: str = ""
    lost: list[str] = field(default_factory=list)
    read_back: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    edits: int = 0
    pins: int = 0

    @property
    def counts(self) -> bool:
        """True for what its own release accepts."""
        return self.own == "accepted"

    @property
    def right(self) -> bool:
        """Accepted, the same plan, and every key read."""
        return self.after == "accepted" and not (self.exit or self.lost or self.read_back or self.unread)


def summary(name: str, cases: Sequence[Case]) -> dict[str, Any]:
    """Counts of one set."""
    ours = [case for case in cases if case.counts]
    return {
        "set": name,
        "examples": len(cases),
        "accepted by their own release": len(ours),
        "accepted before, of all": sum(case.before == "accepted" for case in cases),
        "accepted before": sum(case.before == "accepted" for case in ours),
        "accepted after": sum(case.after == "accepted" for case in ours),
        "the same plan": sum(case.after == "accepted" and not (case.lost or case.read_back) for case in ours),
        "unknown or ignored keys": sum(len(case.unread) for case in ours),
        "right": sum(case.right for case in ours),
        "not right": [asdict(case) for case in ours if not case.right],
    }


def write(output: Path | None, results: Sequence[dict[str, Any]]) -> None:
    """The figures as a file, with the date."""
    if output is not None:
        dated = {"date": time.strftime("%Y-%m-%d"), "sets": list(results)}
        output.write_text(json.dumps(dated, indent=2, ensure_ascii=False) + "\n")


def show(result: dict[str, Any], cases: Sequence[Case]) -> None:
    """The figures, and each case that is not right."""
    for name, value in result.items():
        if name == "not right":
            continue
        sys.stdout.write(f"{name:<32}{value}\n")
    for case in cases:
        if case.counts and not case.right:
            why = [case.after] if case.after != "accepted" else [*case.lost, *case.read_back, *case.unread]
            sys.stdout.write(f"  {case.name}: {'; '.join(why)[:500]}\n")
    sys.stdout.write("\n")
