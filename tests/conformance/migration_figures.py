"""What a migration's measurement finds of each example, and the figures of a set."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Case:
    """One example. Verdicts are `accepted` or the loader's words; the lists are empty where all is well.

    `back`: the verdict of its own release on what was migrated there and back. `said` differs then from what it was
    and migrate names it, `silent` differs and is not named.
    """

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
    back: str = ""
    said: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)

    @property
    def counts(self) -> bool:
        """True for what its own release accepts."""
        return self.own == "accepted"

    @property
    def right(self) -> bool:
        """Accepted, the same plan, and every key read."""
        return self.after == "accepted" and not (self.exit or self.lost or self.read_back or self.unread)

    @property
    def broken(self) -> bool:
        """True where it is not what it was after the way there and back, and nobody says so."""
        return self.back != "accepted" or bool(self.silent)


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


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
        "accepted there and back": sum(case.back == "accepted" for case in ours),
        "there and back, the same plan": sum(
            case.back == "accepted" and not (case.said or case.silent) for case in ours
        ),
        "there and back, all differences said": sum(case.back == "accepted" and not case.silent for case in ours),
        "said there and back": _counted(name for case in ours for name in case.said),
        "silent": [{"name": case.name, "back": case.back, "silent": case.silent} for case in ours if case.broken],
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
        if name in ("not right", "silent"):
            continue
        sys.stdout.write(f"{name:<32}{value}\n")
    for case in cases:
        if case.counts and not case.right:
            why = [case.after] if case.after != "accepted" else [*case.lost, *case.read_back, *case.unread]
            sys.stdout.write(f"  {case.name}: {'; '.join(why)[:500]}\n")
        if case.counts and case.broken:
            sys.stdout.write(f"  back: {case.name}: {'; '.join([case.back, *case.silent])[:900]}\n")
    sys.stdout.write("\n")
