"""The account of a conversion: what a person must decide, what changes the learning, how many keys ended how."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from rftconf.base.enumeration import enumerate_words
from rftconf.base.ledger import LOSSES, Decision, Ledger, SourceLine, State, TargetLine
from rftconf.report.learning import changes_json, learning_lines
from rftconf.report.screen import Screen, columns_of, joined, printable, shorten
from rftconf.report.values import place_json, render_value, value_json
from rftconf.report.wording import without_citations
from rftconf.schemas import catalogue, registry

VERSION = 1
"""Of the JSON form. It grows only when a field changes its meaning or goes."""

WITHHELD = "(withheld)"
_FEW = 3
"""Keys that are named before the rest is counted."""
WARNS = ("fill in every ???", "more memory: ")
"""How notes begin that nobody should miss."""
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
    State.UNKNOWN: "nobody here knows what reads them",
}
_WIDE = 110


def ledger_text(ledger: Ledger, screen: Screen, *, full: bool = False) -> str:
    """The report for people, on one screen where possible. `full` lists every key and every note.

    What must be decided stands first. On a terminal that the report scrolls through it stands last, where the eye is then.
    """
    account = [
        *learning_lines(ledger.learning, screen, full=full),
        *_counts(ledger, screen),
        *(_listed(ledger, screen) if full else _folded(ledger, screen)),
    ]
    decisions = list(_decisions(ledger.decisions, screen))
    title = screen.style(_title(ledger), "bold")
    if decisions and screen.scrolls(1 + len(account) + len(decisions)):
        return joined([title, *account, "", *decisions[:-1]])
    return joined([title, *decisions, *account])


def _listed(ledger: Ledger, screen: Screen) -> Iterator[str]:
    """Yield the lines of every key and every note."""
    widest = max((columns_of(_line_text(line)) for line in ledger.sources), default=0)
    column = min(widest, screen.width * 9 // 20) + 4
    for state in _ORDER:
        yield from _group(state, [line for line in ledger.sources if line.state is state], column, screen)
    if ledger.notes:
        yield from ("", screen.style("Notes", "bold"))
        yield from (text for note in ledger.notes for text in screen.hanging("- ", without_citations(note)))


def _folded(ledger: Ledger, screen: Screen) -> Iterator[str]:
    """Warnings in full; keys that were lost and that nothing above speaks of by name; the number of the other notes."""
    warnings, notes = of_warnings(ledger.notes)
    keys = {key for change in ledger.learning for key in change.keys}
    keys |= {key for line in ledger.targets for d in ledger.decisions if d.key == line.key for key in line.sources}
    words = [_place_of(line) for line in ledger.sources if line.word]
    unknown = [line for line in ledger.sources if line.state is State.UNKNOWN and not line.word]
    lost = [line.key for line in ledger.lossy if line.state is not State.UNKNOWN and line.key not in keys]
    written = {line.key.lstrip("+") for line in ledger.targets}
    same = ledger.source_framework == ledger.target_framework
    stays = [line.key for line in unknown if same and line.key in written]
    omitted = [line for line in unknown if line.key not in stays]
    acting = _of_a_fork(ledger, omitted)
    others = [line.key for line in omitted if line.key not in acting]
    yield from _named_keys("not read", words, screen)
    why, most = "what reads these is not known, and they are", max(_FEW, len(acting))
    yield from _named_keys(f"{why} left out", [*acting, *others], screen, most)
    yield from _named_keys(f"{why} kept as written", stays, screen)
    yield from _named_keys("also not kept in full", lost, screen)
    yield from (text for note in warnings for text in screen.hanging("  ! ", without_citations(note)))
    unsaid = [note for note in notes if not any(f"{path.removeprefix('stage.')}:" in note for path in _paths(ledger))]
    if unsaid:
        some = f"{len(unsaid)} note{'s' * (len(unsaid) != 1)} on speed, saving, evaluation and names"
        yield screen.style(f"  {some}: -v shows them", "dim")


def _place_of(line: SourceLine) -> str:
    return f"{line.key} ({PurePath(line.place.file).name}:{line.place.span.line})" if line.place else line.key


def _of_a_fork(ledger: Ledger, unknown: list[SourceLine]) -> list[str]:
    """The keys that the release does not have at all and that are not switched off: they act if a fork reads them."""
    on = [line for line in unknown if line.value not in (None, False, "", [], {})]
    known = catalogue.load(ledger.source_framework, ledger.source_release) if on else ()
    return [line.key for line in on if line.key not in known]


def _named_keys(lead: str, keys: list[str], screen: Screen, most: int = _FEW) -> Iterator[str]:
    """Some of the keys by name, and the number of the others."""
    if keys:
        first, *more = screen.wrap(f"{lead}: {enumerate_words(list(map(printable, keys)), most)}", 4)
        yield f"  {first}"
        yield from (f"    {text}" for text in more)


def _paths(ledger: Ledger) -> Iterator[str]:
    yield from (path for change in ledger.learning for path in change.plan)


def of_warnings(notes: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Notes that warn before a run starts, and the others."""
    warn = [note for note in notes if note.startswith(WARNS)]
    return warn, [note for note in notes if note not in warn]


def decisions_text(decisions: tuple[Decision, ...], screen: Screen) -> str:
    """Return the decisions that are left to the user, each with its choices; empty without any."""
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
            {
                "key": d.key,
                "why": d.why,
                "choices": list(d.choices),
                "chosen": d.chosen or None,
                "has": d.has or None,
            }
            for d in ledger.decisions
        ],
        "answered": [{"key": d.key, "answer": d.chosen} for d in ledger.answered],
        "learning": changes_json(ledger.learning),
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
    return next((framework.title for framework in registry.variants() if framework.name == name), name)


def _decisions(decisions: tuple[Decision, ...], screen: Screen) -> Iterator[str]:
    if not decisions:
        return
    yield screen.style(f"You must decide ({len(decisions)})", "bold", "yellow")
    read = [decision.key for decision in decisions if _is_variable(decision)]
    together = len(read) > 1
    if together:
        lead = f"{f'1-{len(read)}.':>4} "
        yield from screen.hanging(lead, f"{', '.join(read)} are read when the run starts")
        yield from screen.hanging("     answers: ", "export them there | --set NAME=VALUE writes a value")
    others = [decision for decision in decisions if not (together and _is_variable(decision))]
    for number, decision in enumerate(others, 1 + len(decisions) - len(others)):
        chosen = f" = {shorten(decision.chosen, 60)}" if decision.chosen else ""
        has = f"the source has {decision.has}; " if decision.has else ""
        text = without_citations(f"{decision.key}{chosen}: {has}{decision.why}")
        first, *more = screen.hanging(f"{number:>3}. ", text)
        yield first.replace(decision.key, screen.style(decision.key, "bold"), 1)
        yield from more
        if decision.choices:
            yield from screen.hanging("     answers: ", without_citations(" | ".join(decision.choices)))
    yield ""


def _is_variable(decision: Decision) -> bool:
    """True for a variable that is read when the run starts, and that --set can give a value."""
    return decision.key.startswith("$") and decision.choices[:1] == (f"--set {decision.key[1:]}=... writes its value",)


def _counts(ledger: Ledger, screen: Screen) -> Iterator[str]:
    words = sum(line.word for line in ledger.sources)
    total = len(ledger.sources) - words
    parts = [f"{count} {state}" for state, count in ledger.counts().items()]
    lossy = len(ledger.lossy)
    unread = f", {words} argument{'s' * (words != 1)} not read: what they set is unknown" if words else ""
    # A count stays on one line with its word.
    glued = " · ".join(part.replace(" ", "_") for part in parts)
    lead = f"{total} key{'s' * (total != 1)} read{unread}"
    first, *more = screen.wrap(f"{lead}: {glued}" if parts else lead, 2)
    yield screen.style(first.replace("_", " "), "bold")
    yield from (f"  {text.replace('_', ' ')}" for text in more)
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
    left = _line_text(line)
    arrow = f"→ {', '.join(line.targets)}" if line.targets else ""
    place = f"({PurePath(line.place.file).name}:{line.place.span.line})" if line.place else ""
    wide = screen.width >= _WIDE
    indent = column if wide else 6
    beside = not wide and columns_of(left) + len(place) + 4 <= screen.width
    reason = without_citations(line.reason)
    if not beside:
        arrow, reason = (arrow, f"{reason} {place}") if reason else (f"{arrow} {place}", "")
    right = [text for part in (arrow, reason) if part.strip() for text in screen.wrap(part, indent)]
    if wide and right and columns_of(left) + 4 <= column:
        yield f"  {left}{' ' * (column - 2 - columns_of(left))}{right.pop(0)}"
    else:
        yield f"  {left}  {screen.style(place, 'dim')}" if beside else f"  {left}"
    yield from (" " * indent + text for text in right)


def _line_text(line: SourceLine) -> str:
    if line.word:
        return printable(line.key)
    return f"{printable(line.key)}={WITHHELD if line.state is State.WITHHELD else render_value(line.value, 40)}"
