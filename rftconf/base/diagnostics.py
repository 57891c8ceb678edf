"""A finding about an input is reported as a code, a sentence and a place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum

from rftconf.base.patch import Patch
from rftconf.base.record import record
from rftconf.base.span import Place


class Severity(Enum):
    """Grades of a finding: only errors make an input unusable."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@record
class Label:
    """A further place that belongs to a diagnostic, e.g. the variable a value came from."""

    place: Place
    note: str = ""


@record
class Fix:
    """A change to the file that a diagnostic is about. `safe`: the run stays the same, or could not start before."""

    title: str
    patches: tuple[Patch, ...]
    safe: bool = False
    keys: tuple[str, ...] = ()
    """The keys that it changes, adds or takes out, and those that its finding names, in the file's own words."""


@record
class Diagnostic:
    """One finding. `code` is stable (`SYN001`, `KEY002`, ...); `help` says what to do next."""

    code: str
    severity: Severity
    message: str
    place: Place | None = None
    related: tuple[Label, ...] = ()
    help: str = ""
    fix: Fix | None = None
    key: str = ""
    """The key it is about, in the file's own words, where it is about one."""


MOST_CHARACTERS = 1_000
"""Characters of a sentence that anybody reads; a value that stands in it may have a million."""
MOST_ALIKE = 100
"""Findings with one code that are kept of a file; nobody reads more, and each costs an excerpt of its line."""
MOST_COUNTED = 1_000
"""Findings of one rule that are made at all; from there on nobody counts."""
_WORST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def few(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings, each once and cut short; of those with one code the first ones, and a line that says how many are left out."""
    by_code: dict[str, list[Diagnostic]] = {}
    distinct = tuple(dict.fromkeys(map(_cut_short, diagnostics)))
    for diagnostic in distinct:
        by_code.setdefault(diagnostic.code, []).append(diagnostic)
    many = {code: alike for code, alike in by_code.items() if len(alike) > MOST_ALIKE}
    if not many:
        return distinct
    counts = dict.fromkeys(many, 0)
    shown_diagnostics = []
    for diagnostic in distinct:
        if diagnostic.code in many:
            counts[diagnostic.code] += 1
            if counts[diagnostic.code] >= MOST_ALIKE:
                if counts[diagnostic.code] == MOST_ALIKE:
                    shown_diagnostics.append(_left_out(many[diagnostic.code][MOST_ALIKE - 1 :]))
                continue
        shown_diagnostics.append(diagnostic)
    return tuple(shown_diagnostics)


def _cut_short(diagnostic: Diagnostic) -> Diagnostic:
    """The finding without the middle of a sentence that a long value stands in."""
    if max(len(diagnostic.message), len(diagnostic.help)) <= MOST_CHARACTERS:
        return diagnostic
    return replace(diagnostic, message=_without_middle(diagnostic.message), help=_without_middle(diagnostic.help))


def _without_middle(text: str) -> str:
    """The text, or its beginning and end. A secret in it goes first: of a part of one nobody can tell what it is."""
    if len(text) <= MOST_CHARACTERS:
        return text
    from rftconf.base.secrets.gate import masked

    text_without_secrets = masked(text)
    tail = MOST_CHARACTERS // 3
    return f"{text_without_secrets[: MOST_CHARACTERS - tail - 3]} … {text_without_secrets[-tail:]}"


def _left_out(omitted: list[Diagnostic]) -> Diagnostic:
    """Make one finding that stands for those left out; it is as bad as the worst of them."""
    places = [diagnostic.place for diagnostic in omitted if diagnostic.place is not None]
    all_of_them = len(omitted) + MOST_ALIKE <= MOST_COUNTED
    until = f", the last of them in line {places[-1].span.line}" if places and all_of_them else ""
    worst = min((diagnostic.severity for diagnostic in omitted), key=_WORST.index)
    count = f"{len(omitted):,}" if all_of_them else f"at least {len(omitted):,}"
    message = f"{count} more findings of this kind are left out{until}"
    return Diagnostic(
        omitted[0].code, worst, message, places[0] if places else None, help="mend the first ones and look again"
    )
