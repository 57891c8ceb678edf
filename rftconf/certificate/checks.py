"""Compares a certificate with what its files say today, and names what no longer holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST_NAMED = 5
"""How many leaves of one part are named; the others are counted."""
ABSENT = object()
"""What is recorded, or computed, of an entry that only the other side has: null is a value."""
PARTS = {
    "source": "the source",
    "outputs": "the outputs",
    "request": "the request",
    "source_run": "the source's plan",
    "target_run": "the outputs' plan",
    "verdict": "the verdict",
    "mathematics": "the verdict on the mathematics",
    "stages_only_in_source": "the stages",
    "stages_only_in_target": "the stages",
    "invariants": "the invariants",
    "differences": "the differences",
    "ledger": "the ledger",
    "certificate_version": "the version",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a certificate says. `problems` are sentences; none where it holds."""

    name: str
    problems: tuple[str, ...] = ()


def differing_parts(recorded: dict[str, Any], again: dict[str, Any]) -> list[Check]:
    """Each part of a certificate beside the same part computed again."""
    parts: dict[str, list[str]] = {}
    for part, title in PARTS.items():
        problems = list(_leaves(recorded.get(part, ABSENT), again.get(part, ABSENT), part))
        named = problems[:MOST_NAMED]
        if len(problems) > MOST_NAMED:
            named.append(f"{part}: and {len(problems) - MOST_NAMED} more")
        parts.setdefault(title, []).extend(named)
    return [Check(title, tuple(problems)) for title, problems in parts.items()]


def _leaves(recorded: Any, again: Any, route: str) -> Iterator[str]:
    if isinstance(recorded, dict) and isinstance(again, dict):
        for name in dict.fromkeys([*recorded, *again]):
            yield from _leaves(recorded.get(name, ABSENT), again.get(name, ABSENT), f"{route}.{name}")
    elif isinstance(recorded, list) and isinstance(again, list) and len(recorded) == len(again):
        for index, (item, again_item) in enumerate(zip(recorded, again, strict=True)):
            yield from _leaves(item, again_item, f"{route}[{index}]")
    elif isinstance(recorded, list) and isinstance(again, list):
        yield f"{route}: {len(recorded)} are recorded, there are {len(again)}"
    elif recorded != again or type(recorded) is not type(again):
        yield f"{route}: recorded {_short(recorded)}, is {_short(again)}"


def _short(value: Any) -> str:
    if value is ABSENT:
        return "absent"
    text = repr(value) if not isinstance(value, (dict, list)) else f"{type(value).__name__} of {len(value)}"
    return text if len(text) <= 80 else f"{text[:79]}…"
