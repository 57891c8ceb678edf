"""The account of a conversion: what a person must decide, how many keys ended how, which ones changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from rftconf.ledger import LOSSES, Decision, Ledger, SourceLine, State, TargetLine
from rftconf.report.screen import Screen, columns_of, joined, printable, shorten
from rftconf.report.values import place_json, shown, value_json
from rftconf.schemas import registry

VERSION = 1
"""Of the JSON form. It grows only when a field changes its meaning or goes."""

WITHHELD = "(withheld)"
_QUIET = frozenset({State.EXACT, State.DEFAULT})
_ORDER = (
    *(State.UNKNOWN, State.UNRESOLVED, State.NO_COUNTERPART, State.DEAD_IN_TARGET, State.EXTENSION, State.NARROWED),
    *(State.ROUNDED, State.DEAD_IN_SOURCE, State.WITHHELD, State.DERIVED, State.DEFAULT, State.EXACT),
)
_COLOURS = {
    State.EXACT: "green",
    State.DERIVED: "green",
    State.DEFAULT: "green",
    State.WITHHELD: "blue",
    State.DEAD_IN_SOURCE: "blue",
    State.UNKNOWN: "red",
    State.UNRESOLVED: "red",
    State.NO_COUNTERPART: "red",
}
_SAID = {
    State.EXACT: "kept as they were",
    State.DERIVED: "kept, computed from several keys or in another unit",
    State.DEFAULT: "equal to a default, so not written",
    State.ROUNDED: "kept, but rounded",
    State.NARROWED: "kept in part",
    State.EXTENSION: "kept in the plan only: this target has no place for them",
    State.NO_COUNTERPART: "the target has nothing like it",
    State.DEAD_IN_SOURCE: "without effect in the source already",
    State.DEAD_IN_TARGET: "would have no effect in the target",
    State.UNRESOLVED: "not known from this file",
    State.WITHHELD: "secrets, not copied",
    State.UNKNOWN: "not a key of the source framework",
}
_WIDE = 110


def ledger_text(ledger: Ledger, screen: Screen, *, full: bool = False, losses: bool = True) -> str:
    """The report for people. `full` lists every line, else only those that did not stay as they were.

    Without `losses` only the decisions and the counts are told, unless `full`.
    """
    lines = [screen.style(_title(ledger), "bold"), ""]
    lines.extend(_decisions(ledger.decisions, screen))
    lines.extend(_counts(ledger, screen))
    listed = [line for line in ledger.sources if full or (losses and line.state not in _QUIET)]
    widest = max((columns_of(_written(line)) for line in listed), default=0)
    column = min(widest, screen.width * 9 // 20) + 4
    for state in _ORDER:
        lines.extend(_group(state, [line for line in listed if line.state is state], column, screen))
    if ledger.notes:
        lines.extend(["", screen.style("Notes", "bold")])
        lines.extend(text for note in ledger.notes for text in _hanging("- ", note, screen))
    return joined(lines)


def decisions_text(decisions: tuple[Decision, ...], screen: Screen) -> str:
    """What only a person can tell, each with its choices; empty where there is nothing."""
    return joined(list(_decisions(decisions, screen))) if decisions else ""


def ledger_json(ledger: Ledger) -> dict[str, Any]:
    """Everything in the ledger as JSON data with a stable order; secret values are absent."""
    secret = {line.key for line in ledger.sources if line.state is State.WITHHELD}
    return {
        "version": VERSION,
        "source": {"framework": ledger.source_framework, "release": ledger.source_release},
        "target": {"framework": ledger.target_framework, "release": ledger.target_release},
        "counts": {str(state): count for state, count in ledger.counts().items()},
        "decisions": [
            {"key": d.key, "why": d.why, "choices": list(d.choices), "chosen": d.chosen or None}
            for d in ledger.decisions
        ],
        "sources": [_source_json(line) for line in ledger.sources],
        "targets": [_target_json(line, secret) for line in ledger.targets],
        "notes": list(ledger.notes),
    }


def _source_json(line: SourceLine) -> dict[str, Any]:
    return {
        "key": line.key,
        "value": None if line.state is State.WITHHELD else value_json(line.value),
        "place": place_json(line.place),
        "state": str(line.state),
        "targets": list(line.targets),
        "plan": list(line.plan),
        "reason": line.reason,
    }


def _target_json(line: TargetLine, secret: set[str]) -> dict[str, Any]:
    hidden = not secret.isdisjoint(line.sources)
    return {
        "key": line.key,
        "value": None if hidden else value_json(line.value),
        "basis": str(line.basis),
        "comment": "" if hidden else line.comment,
        "sources": list(line.sources),
    }


def _title(ledger: Ledger) -> str:
    source, target = (_title_of(name) for name in (ledger.source_framework, ledger.target_framework))
    return f"{source} {ledger.source_release} → {target} {ledger.target_release}"


def _title_of(name: str) -> str:
    return next((one.title for one in registry.variants() if one.name == name), name)


def _decisions(decisions: tuple[Decision, ...], screen: Screen) -> Iterator[str]:
    if not decisions:
        return
    yield screen.style(f"You must decide ({len(decisions)})", "bold", "yellow")
    for decision in decisions:
        chosen = f" = {shorten(decision.chosen, 60)}" if decision.chosen else ""
        yield f"  {screen.style(decision.key, 'bold')}{chosen}"
        yield from _hanging("    ", decision.why, screen)
        if decision.choices:
            yield from _hanging("    choices: ", " | ".join(decision.choices), screen)
    yield ""


def _counts(ledger: Ledger, screen: Screen) -> Iterator[str]:
    words = sum(line.word for line in ledger.sources)
    total = len(ledger.sources) - words
    parts = [f"{count} {state}" for state, count in ledger.counts().items()]
    lossy = len(ledger.lossy)
    unread = f", {words} argument{'s' * (words != 1)} not read: what they set is unknown" if words else ""
    yield screen.style(f"{total} key{'s' * (total != 1)} read{unread}", "bold")
    if parts:
        # A count stays on one line with its word.
        glued = " · ".join(part.replace(" ", "_") for part in parts)
        yield from (text.replace("_", " ") for text in _hanging("  ", glued, screen))
    if total and not lossy:
        yield screen.style("  nothing was lost", "green")


def _group(state: State, lines: list[SourceLine], column: int, screen: Screen) -> Iterator[str]:
    if not lines:
        return
    colour = _COLOURS.get(state, "yellow")
    yield ""
    mark = "" if state not in LOSSES else " (loss)"
    yield f"{screen.style(f'{state} ({len(lines)})', 'bold', colour)} {screen.style(_SAID[state] + mark, 'dim')}"
    for line in lines:
        yield from _entry(line, column, screen)


def _entry(line: SourceLine, column: int, screen: Screen) -> Iterator[str]:
    """Key and value, then what became of it: beside it on a wide screen, else below."""
    left = _written(line)
    arrow = f"→ {', '.join(line.targets)}" if line.targets else ""
    place = f"({PurePath(line.place.file).name}:{line.place.span.line})" if line.place else ""
    wide = screen.width >= _WIDE
    indent = column if wide else 6
    beside = not wide and columns_of(left) + len(place) + 4 <= screen.width
    reason = line.reason
    if not beside:
        arrow, reason = (arrow, f"{reason} {place}") if reason else (f"{arrow} {place}", "")
    right = [text for part in (arrow, reason) if part.strip() for text in screen.wrap(part, indent)]
    if wide and right and columns_of(left) + 4 <= column:
        yield f"  {left}{' ' * (column - 2 - columns_of(left))}{right.pop(0)}"
    else:
        yield f"  {left}  {screen.style(place, 'dim')}" if beside else f"  {left}"
    yield from (" " * indent + text for text in right)


def _written(line: SourceLine) -> str:
    if line.word:
        return printable(line.key)
    return f"{printable(line.key)}={WITHHELD if line.state is State.WITHHELD else shown(line.value, 40)}"


def _hanging(lead: str, text: str, screen: Screen) -> Iterator[str]:
    pad = " " * len(lead)
    for at, part in enumerate(screen.wrap(text, len(lead))):
        yield f"{pad if at else lead}{part}"
