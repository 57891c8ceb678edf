"""What changes the learning, the largest effect first, and how many differences are left to chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rftconf.ledger import Change
from rftconf.report.screen import Screen
from rftconf.report.values import value_json
from rftconf.report.wording import without_citations

MOST = 5
"""Entries that are shown unasked; the rest is counted."""
CHANCE = "chance"


def learning_lines(changes: Sequence[Change], screen: Screen, *, full: bool) -> Iterator[str]:
    """A numbered entry each: the effect, what the target does, and after an arrow what makes up for it."""
    real = [one for one in changes if one.tier != CHANCE]
    if not changes:
        return
    if not real:
        yield screen.style("Nothing here changes what is learned on average", "bold", "green")
    else:
        order = ", the largest effect first" if len(real) > 1 else ""
        yield screen.style(f"What changes the learning ({len(real)}{order})", "bold", "red")
    listed = [*changes] if full else real[:MOST]
    for number, one in enumerate(listed, 1):
        yield from _hanging(f"{number:>3}. ", _said(one), screen)
        if one.remedy:
            yield from _hanging("     → ", without_citations(one.remedy), screen)
    yield from () if full else _folded(real[MOST:], [one for one in changes if one.tier == CHANCE], screen)
    yield ""


def _said(one: Change) -> str:
    why = without_citations(one.why)
    first = why.partition(" ")[0]
    why = why[:1].upper() + why[1:] if first.isalpha() and first.islower() else why  # names stay as they are
    return f"{one.says}. {why}." if why else f"{one.says}."


def _folded(more: Sequence[Change], chance: Sequence[Change], screen: Screen) -> Iterator[str]:
    parts = [f"{len(more)} smaller one{'s' * (len(more) != 1)} ({', '.join(c.cause for c in more)})"] if more else []
    if chance:
        parts.append(f"{len(chance)} that only chance depends on ({', '.join(dict.fromkeys(c.cause for c in chance))})")
    if parts:
        yield from _hanging("  and ", ", ".join(parts), screen)


def changes_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The same for programs, all of it. `doublings` is null where it is not known."""
    return [
        {
            "cause": one.cause,
            "tier": one.tier,
            "says": one.says,
            "doublings": None if one.doublings is None else value_json(one.doublings),
            "why": one.why,
            "remedy": one.remedy or None,
            "plan": list(one.plan),
            "keys": list(one.keys),
        }
        for one in changes
    ]


def _hanging(lead: str, text: str, screen: Screen) -> Iterator[str]:
    pad = " " * len(lead)
    for at, part in enumerate(screen.wrap(text, len(lead))):
        yield f"{pad if at else lead}{part}"
