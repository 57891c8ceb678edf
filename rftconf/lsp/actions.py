"""Quick fixes: what a finding's fix makes of the text, offered only where checking again no longer finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from rftconf.base.diagnostics import Diagnostic, Fix
from rftconf.base.patch import Patch
from rftconf.base.span import LineIndex, Span
from rftconf.lint import fixing
from rftconf.text.document import Document

MOST = 50
"""Fixes that are tried for one question of the editor."""


@dataclass(frozen=True, slots=True)
class Action:
    """One change of the text that a person may choose. `safe`: the run stays the same, or could not start before."""

    title: str
    patches: tuple[Patch, ...]
    finding: Diagnostic
    safe: bool


def actions(
    document: Document,
    diagnostics: Iterable[Diagnostic],
    start: int,
    end: int,
    again: Callable[[str], tuple[Document, list[Diagnostic]]],
) -> Iterator[Action]:
    """The fixes and silencing comments for findings that touch characters `start` to `end`."""
    diagnostics = list(diagnostics)
    touched = [
        d for d in diagnostics if d.place and d.place.file == document.name and _touches(d.place.span, start, end)
    ]
    for finding in touched[:MOST]:
        if finding.fix is not None and fixing.attempt(document, diagnostics, finding, again) is not None:
            change = "" if finding.fix.safe else " (changes the run)"
            yield Action(f"{finding.fix.title}{change}", finding.fix.patches, finding, finding.fix.safe)
    for finding in {d.code: d for d in reversed(touched[:MOST])}.values():
        suppression = _suppress_finding(document, finding)
        tried = None if suppression is None else replace(finding, fix=Fix(suppression.title, suppression.patches))
        if suppression is not None and tried is not None and fixing.attempt(document, diagnostics, tried, again):
            yield suppression


def fix_all(
    document: Document, diagnostics: list[Diagnostic], again: Callable[[str], tuple[Document, list[Diagnostic]]]
) -> str | None:
    """The text with every safe fix made, None where there is none to make."""
    done = fixing.fix(document, diagnostics, again)
    return done.text if done.made else None


def _touches(span: Span, start: int, end: int) -> bool:
    return span.start <= end and start <= span.end


def _suppress_finding(document: Document, finding: Diagnostic) -> Action | None:
    """A comment above the statement: for a continued command that is above its first line."""
    if finding.place is None or finding.code == "SYN601" or not document.readable:
        return None
    text = document.text
    first = text.rfind("\n", 0, finding.place.span.start) + 1
    while first > 0 and text[:first].rstrip("\r\n").endswith("\\"):
        first = text.rfind("\n", 0, first - 1) + 1
    indent = text[first : len(text) - len(text[first:].lstrip(" \t"))]
    comment = f"{indent}# rftconf: ignore[{finding.code}] \n"
    span = LineIndex(text).span(first, first)
    return Action(f"ignore {finding.code} here", (Patch(span, comment),), finding, safe=True)
