"""Comments that silence findings: `# rftconf: ignore[BAT003] why`, on the line or above it, or for a whole file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from rftconf.base.diagnostics import Diagnostic, Fix, Severity
from rftconf.base.patch import Patch
from rftconf.base.span import LineIndex, Place, Span

MARK = "rftconf:"
"""A text without it has no such comment."""
_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#\s*rftconf:\s*(?P<kind>ignore-file|ignore)(?:\[(?P<codes>[^\]\n]*)\])?[^\n]*")


@dataclass(slots=True)
class Suppression:
    """One comment: the lines that it covers and the codes (or starts of codes) that it names; none means all."""

    span: Span
    first: int
    last: int
    codes: tuple[str, ...]
    used: set[str] = field(default_factory=set)

    def covers(self, diagnostic: Diagnostic) -> bool:
        """True for a finding on its lines with one of its codes."""
        line = diagnostic.place.span.line if diagnostic.place else 1
        if not self.first <= line <= self.last:
            return False
        hit = next((code for code in self.codes if diagnostic.code.startswith(code)), None)
        if hit is None and self.codes:
            return False
        self.used.add(hit or "")
        return True


def suppressions(text: str) -> list[Suppression]:
    """The comments of a text. One alone on its line covers the next statement, a continued command as a whole."""
    if MARK not in text:
        return []
    index, lines, suppressions = LineIndex(text), text.split("\n"), list[Suppression]()
    for match in _COMMENT.finditer(text):
        span = index.span(match.start(), match.end())
        codes = tuple(code.strip().upper() for code in (match["codes"] or "").split(",") if code.strip())
        first = last = span.line
        if match["kind"] == "ignore-file":
            first, last = 1, len(lines)
        elif not lines[span.line - 1][: span.col - 1].strip():
            first, last = _next_statement(lines, span.line)
        suppressions.append(Suppression(span, first, last, codes))
    return suppressions


def _next_statement(lines: list[str], after: int) -> tuple[int, int]:
    """Numbers (from 1) of the lines of the statement below line `after`."""
    first = after + 1
    while first <= len(lines) and (not lines[first - 1].strip() or lines[first - 1].lstrip().startswith("#")):
        first += 1
    last = first
    while last <= len(lines) and lines[last - 1].rstrip("\r").endswith("\\"):
        last += 1
    return first, last


def apply(name: str, text: str, diagnostics: Iterable[Diagnostic], known: Iterable[str] = ()) -> list[Diagnostic]:
    """The findings that no comment silences, and one for each comment (or code in it) that silences nothing.

    `known` are codes that were looked for; a comment that names only others is left alone.
    """
    comments = suppressions(text)
    if not comments:
        return list(diagnostics)
    remaining = []
    for diagnostic in diagnostics:
        in_document = diagnostic.place is None or diagnostic.place.file == name
        if not (in_document and [comment for comment in comments if comment.covers(diagnostic)]):
            remaining.append(diagnostic)
    index, codes = LineIndex(text), tuple(known)
    return [*remaining, *(d for comment in comments for d in _unused(name, text, index, comment, codes))]


def _unused(name: str, text: str, index: LineIndex, comment: Suppression, known: tuple[str, ...]) -> list[Diagnostic]:
    idle = [code for code in comment.codes if code not in comment.used]
    if known:
        idle = [code for code in idle if any(code_start.startswith(code) for code_start in known)]
    if comment.used and not idle:
        return []
    if comment.codes and not idle:
        return []
    message = f"{', '.join(idle)} is ignored here and not found" if idle else "nothing is found here to be ignored"
    start, end = comment.span.start, comment.span.end
    if not text[text.rfind("\n", 0, start) + 1 : start].strip():
        start = text.rfind("\n", 0, start) + 1
        end = min(end + 1, len(text))
    while text[start - 1 : start] in (" ", "\t"):
        start -= 1
    whole = not comment.used
    fix = Fix("delete the comment", (Patch(index.span(start, end), ""),), safe=True) if whole else None
    return [
        Diagnostic(
            "SYN601", Severity.WARNING, message, Place(name, comment.span), help="delete it from the comment", fix=fix
        )
    ]
