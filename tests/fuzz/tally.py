"""What is counted while laws are judged: a judge says what broke as a class (for counting) and a detail (for mending)."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Broken:
    """One break of a law: its class, the case, and what was seen."""

    law: str
    kind: str
    case: str
    detail: str = ""


@dataclass
class Tally:
    """How often each thing happened, and what broke."""

    ends: Counter[str] = field(default_factory=Counter)
    broken: list[Broken] = field(default_factory=list)
    refused: list[Broken] = field(default_factory=list)
    """Outputs that `convert` refuses to write by its own check, although the source has no such error: rows to be mended."""


def kinds(breaches: Iterable[Broken]) -> Counter[str]:
    """Classes by how often they came."""
    return Counter(f"{breach.law}: {breach.kind}" for breach in breaches)


def crash(error: BaseException) -> str:
    """A defect by where it was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = frame.filename.rpartition("/rftconf/")[2]
    return f"{type(error).__name__} at {where}:{frame.lineno} ({error!s:.80})"


def plain(path: str) -> str:
    """A plan path without the numbers of list items."""
    return re.sub(r"\[\d+\]", "[]", path)
