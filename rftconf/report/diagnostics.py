"""Diagnostics as text with the lines they speak of, as one line each, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.secrets import masked
from rftconf.base.span import Place, Span
from rftconf.report.screen import Screen, columns_of, joined, printable
from rftconf.report.values import place_json

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


def diagnostics_text(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str], screen: Screen) -> str:
    """Each diagnostic with an excerpt of its line, the span underlined; `texts` maps file names to their text."""
    blocks = [joined(_block(diagnostic, texts, screen)) for diagnostic in diagnostics]
    return "\n".join(blocks)


def diagnostics_concise(diagnostics: Iterable[Diagnostic]) -> str:
    """`file:line:col: CODE message`, one line each."""
    return joined(f"{_place_prefix(d.place)}{d.code} {masked(printable(d.message))}" for d in diagnostics)


def diagnostics_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """The diagnostics as JSON data."""
    return [
        {
            "code": d.code,
            "severity": d.severity.value,
            "message": masked(d.message),
            "place": _span_json(d.place),
            "related": [{"place": _span_json(label.place), "note": label.note} for label in d.related],
            "help": d.help,
            "key": d.key,
            "fix": _fix_json(d),
        }
        for d in diagnostics
    ]


def _fix_json(d: Diagnostic) -> dict[str, Any] | None:
    if d.fix is None:
        return None
    patches = [{"start": p.span.start, "end": p.span.end, "text": p.text} for p in d.fix.patches]
    return {"title": d.fix.title, "safe": d.fix.safe, "patches": patches}


def statistics(diagnostics: Iterable[Diagnostic], titles: Mapping[str, str]) -> str:
    """Count the diagnostics of each code, the most frequent first, with `*` where a fix is offered."""
    rows: dict[str, list[int]] = {}
    for d in diagnostics:
        row = rows.setdefault(d.code, [0, 0])
        row[0] += 1
        row[1] += d.fix is not None
    ordered = sorted(rows.items(), key=lambda entry: (-entry[1][0], entry[0]))
    return "".join(
        f"{count:5} {code} {'[*]' if fixable else '[ ]'} {titles.get(code, '')}\n" for code, (count, fixable) in ordered
    )


def summary(diagnostics: Iterable[Diagnostic], files: int) -> str:
    """Count errors, warnings and notes, in one line."""
    severities = [d.severity for d in diagnostics]
    words = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "note"))
    parts = [f"{n} {word}{'s' * (n != 1)}" for severity, word in words if (n := severities.count(severity))]
    where = f"in {files} file{'s' * (files != 1)}"
    return f"{', '.join(parts)} {where}" if parts else f"nothing found {where}"


def _place_prefix(place: Place | None) -> str:
    return f"{place}: " if place else ""


def _span_json(place: Place | None) -> dict[str, Any] | None:
    data = place_json(place)
    return None if data is None or place is None else {**data, "start": place.span.start, "end": place.span.end}


def _block(d: Diagnostic, texts: Mapping[str, str], screen: Screen) -> Iterator[str]:
    lead = f"{d.severity.value} {d.code}: "
    styled = screen.style(lead.rstrip(), "bold", _COLOURS[d.severity])
    first, *more = screen.wrap(masked(d.message), len(lead))
    yield f"{styled} {screen.style(first, 'bold')}"
    yield from (" " * len(lead) + screen.style(text, "bold") for text in more)
    if d.place:
        yield from _excerpt(d.place, "^", _COLOURS[d.severity], texts, screen)
    for label in d.related:
        yield f"  {screen.style('note:', 'bold', 'blue')} {printable(label.note)}"
        yield from _excerpt(label.place, "-", "blue", texts, screen)
    if d.help:
        first, *more = screen.wrap(d.help, 8)
        yield f"  {screen.style('help:', 'bold', 'cyan')} {first}"
        yield from (" " * 8 + text for text in more)


def _excerpt(place: Place, mark: str, colour: str, texts: Mapping[str, str], screen: Screen) -> Iterator[str]:
    number = str(place.span.line)
    yield f"  {' ' * (len(number) - 1)}{screen.style('-->', 'blue')} {place}"
    text = texts.get(place.file)
    if text is None:
        return
    before, inside, after = _around(text, place.span, screen.width - len(number) - 5)
    if not (before + inside + after).strip():
        return
    bar = screen.style("|", "blue")
    yield f"  {screen.style(number, 'blue')} {bar} {before}{inside}{after}"
    under = mark * max(columns_of(inside), 1)
    yield f"  {' ' * len(number)} {bar} {' ' * columns_of(before)}{screen.style(under, 'bold', colour)}"


def _around(text: str, span: Span, width: int) -> tuple[str, str, str]:
    """The span's first line in three parts, cut to `width` around the span, without secrets or control characters."""
    start = text.rfind("\n", 0, span.start) + 1
    stop = text.find("\n", span.start)
    stop = len(text) if stop < 0 else stop
    # A line may be megabytes long; only what can be seen is looked at.
    left, right = max(start, span.start - 1000), min(stop, max(span.end, span.start) + 1000, span.start + 4000)
    line = printable(masked(text[left:right]))
    first, end = span.start - left, min(max(span.end, span.start) - left, len(line))
    skip = 0
    if columns_of(line) > width:
        skip = max(0, min(first - width // 4, len(line) - width + 1))
        line = ("…" + line[skip + 1 :]) if skip else line
        first, end = max(first - skip, 0), end - skip
        line = line if len(line) <= width else line[: width - 1] + "…"
    end = max(min(end, len(line)), first)
    return line[:first], line[first:end], line[end:].rstrip()
