"""Changes of the learning, the largest effect first, and the number of differences that are left to chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rftconf.base.ledger import Change
from rftconf.report.screen import Screen, printable
from rftconf.report.values import value_json
from rftconf.report.wording import without_citations

MOST = 5
"""Entries that are shown unasked; the rest is counted."""
CHANCE, UNMEASURED = "chance", "unmeasured"


def learning_lines(changes: Sequence[Change], screen: Screen, *, full: bool) -> Iterator[str]:
    """A numbered entry each: the effect, what the target does, and after an arrow what makes up for it."""
    if not changes:
        return
    real = [change for change in changes if change.tier != CHANCE]
    more = () if full else real[MOST:]
    chance = "" if full else _left_to_chance([change for change in changes if change.tier == CHANCE])
    heading = _heading(real, "" if more else chance)
    if len(heading) > screen.width:
        heading = _heading(real, "")
    yield screen.style(heading, "bold", "red" if real else "green")
    shown_changes = (*real, *(change for change in changes if change.tier == CHANCE)) if full else real[:MOST]
    for number, change in enumerate(shown_changes, 1):
        if real and number == len(real) + 1:
            yield screen.style(f"Left to chance ({len(shown_changes) - len(real)})", "bold")
        yield from screen.hanging(f"{number:>3}. ", _reason_text(change))
        if change.remedy:
            yield from screen.hanging("     → ", without_citations(change.remedy))
    smaller = [_folded(more)] if more else []
    folded = [*smaller, *([chance] if chance and chance not in heading else [])]
    if folded:
        yield from screen.hanging("  and ", ", ".join(folded))
    yield ""


def _folded(changes: Sequence[Change]) -> str:
    """Count the further changes, and name each: those that nobody measured by their keys, because no cause tells them."""
    named = [
        f"{change.cause}: {', '.join(map(printable, change.keys))}" if change.tier == UNMEASURED else change.cause
        for change in changes
    ]
    size = "further" if any(change.tier == UNMEASURED for change in changes) else "smaller"
    parting = "; " if size == "further" else ", "
    return f"{len(changes)} {size} one{'s' * (len(changes) != 1)} ({parting.join(dict.fromkeys(named))})"


def _heading(real: Sequence[Change], chance: str) -> str:
    """Return the heading: how many changes there are, and what is left to chance where there is room for it."""
    beside = f"; {chance}" if chance else ""
    if not real:
        return f"Nothing here changes what is learned on average{beside}"
    order = ", the largest effect first" if len(real) > 1 else ""
    return f"What changes the learning ({len(real)}{order}{beside})"


def _left_to_chance(changes: Sequence[Change]) -> str:
    """Return the number of differences that only chance depends on, and their causes; empty without any."""
    causes = ", ".join(dict.fromkeys(change.cause for change in changes))
    return f"{len(changes)} left to chance: {causes}" if changes else ""


def _reason_text(change: Change) -> str:
    why = without_citations(change.why)
    first = why.partition(" ")[0]
    why = why[:1].upper() + why[1:] if first.isalpha() and first.islower() else why  # names stay as they are
    return f"{change.says}. {why}." if why else f"{change.says}."


def changes_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The same for programs, all of it. `doublings` is null where it is not known."""
    return [
        {
            "cause": change.cause,
            "tier": change.tier,
            "says": change.says,
            "doublings": None if change.doublings is None else value_json(change.doublings),
            "why": change.why,
            "remedy": change.remedy or None,
            "plan": list(change.plan),
            "keys": list(change.keys),
        }
        for change in changes
    ]
