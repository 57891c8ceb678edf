"""Comments that silence findings: `# rftconf: ignore[BAT003] why`, on the line or above it, or for a whole file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from rftconf.base.diagnostics import MOST_COUNTED, Diagnostic, Fix, Severity
from rftconf.base.patch import Patch
from rftconf.base.span import LineIndex, Place, Span

MARK = "rftconf:"
"""A text without it has no such comment."""
_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#\s*rftconf:\s*(?P<kind>ignore-file|ignore)(?:\[(?P<codes>[^\]\n]*)\])?[^\n]*")
Scope = tuple[str, int]
"""Lines of a text: ("file", 0), ("line", its number), or ("statement", the number of the statement's first line)."""
FILE: Scope = ("file", 0)


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: the lines that it covers and the codes (or starts of codes) that it names; none means all."""

    span: Span
    scope: Scope
    codes: tuple[str, ...]

    def used(self, silenced: Iterable[str]) -> set[str]:
        """Return which of its codes silence something, given the codes silenced on its lines; "" where it names none."""
        own_codes = self.codes or ("",)
        hits = (next((own for own in own_codes if code.startswith(own)), None) for code in silenced)
        return {hit for hit in hits if hit is not None}


def suppressions(text: str) -> list[Suppression]:
    """The comments of a text. One alone on its line covers the next statement, a continued command as a whole."""
    if MARK not in text:
        return []
    index, lines, suppressions = LineIndex(text), text.split("\n"), list[Suppression]()
    statements = _statements_below(lines)
    for match in _COMMENT.finditer(text):
        span = index.span(match.start(), match.end())
        codes = tuple(code.strip().upper() for code in (match["codes"] or "").split(",") if code.strip())
        scope = ("line", span.line)
        if match["kind"] == "ignore-file":
            scope = FILE
        elif not lines[span.line - 1][: span.col - 1].strip():
            scope = ("statement", statements[span.line])
        suppressions.append(Suppression(span, scope, codes))
    return suppressions


def _statements_below(lines: list[str]) -> list[int]:
    """The first line of the statement below each line, counted from 1; the first entry is for the top of the text."""
    below = [len(lines) + 1]
    for number in range(len(lines), 0, -1):
        below.append(number if _is_statement(lines[number - 1]) else below[-1])
    return below[::-1]


def _first_lines(lines: list[str]) -> list[int]:
    """For each line, the line on which its statement begins; both counted from 1, so that the first entry is for no line."""
    first_lines = [0]
    for number in range(1, len(lines) + 1):
        before = lines[number - 2] if number > 1 else ""
        continued = _is_statement(before) and before.rstrip("\r").endswith("\\")
        first_lines.append(first_lines[-1] if continued else number)
    return first_lines


def _is_statement(line: str) -> bool:
    plain = line.lstrip()
    return bool(plain) and plain[0] != "#"


def apply(name: str, text: str, diagnostics: Iterable[Diagnostic], known: Iterable[str] = ()) -> list[Diagnostic]:
    """The findings that no comment silences, and one for each comment (or code in it) that silences nothing.

    `known` are codes that were looked for; a comment that names only others is left alone.
    """
    comments = suppressions(text)
    if not comments:
        return list(diagnostics)
    named = {(comment.scope, code) for comment in comments for code in comment.codes or ("",)}
    first_lines, silenced, remaining = _first_lines(text.split("\n")), dict[Scope, set[str]](), list[Diagnostic]()
    for diagnostic in diagnostics:
        line = diagnostic.place.span.line if diagnostic.place else 1
        scopes: tuple[Scope, ...] = (FILE, ("line", line), ("statement", first_lines[line]))
        if diagnostic.place is not None and diagnostic.place.file != name:
            scopes = ()
        code_starts = [diagnostic.code[:length] for length in range(len(diagnostic.code) + 1)]
        own_scopes = [scope for scope in scopes if any((scope, start) in named for start in code_starts)]
        for scope in own_scopes:
            silenced.setdefault(scope, set()).add(diagnostic.code)
        if not own_scopes:
            remaining.append(diagnostic)
    index, codes = LineIndex(text), tuple(known)
    unused = (
        finding
        for comment in comments
        for finding in _unused(name, text, index, comment, comment.used(silenced.get(comment.scope, ())), codes)
    )
    return [*remaining, *islice(unused, MOST_COUNTED)]


def _unused(
    name: str, text: str, index: LineIndex, comment: Suppression, used: Collection[str], known: tuple[str, ...]
) -> Iterator[Diagnostic]:
    idle = [code for code in comment.codes if code not in used]
    if known:
        idle = [code for code in idle if any(code_start.startswith(code) for code_start in known)]
    if not idle and (used or comment.codes):
        return
    message = f"{', '.join(idle)} is ignored here and not found" if idle else "nothing is found here to be ignored"
    start, end = comment.span.start, comment.span.end
    if not text[text.rfind("\n", 0, start) + 1 : start].strip():
        start = text.rfind("\n", 0, start) + 1
        end = min(end + 1, len(text))
    while text[start - 1 : start] in (" ", "\t"):
        start -= 1
    fix = Fix("delete the comment", (Patch(index.span(start, end), ""),), safe=True) if not used else None
    help_ = "delete it from the comment"
    yield Diagnostic("SYN601", Severity.WARNING, message, Place(name, comment.span), help=help_, fix=fix)
