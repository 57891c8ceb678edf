"""Findings that hang on a guessed release: where another release fits a file as well and has no such finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.span import Place
from rftconf.schemas import registry
from rftconf.schemas.guess import Guess

Check = Callable[[str], Sequence[Diagnostic]]
"""All findings, were the file written for the release of this name."""


def loosen(diagnostics: Sequence[Diagnostic], best: Guess, check_as: Check | None) -> list[Diagnostic]:
    """The findings, in which none is an error or a safe fix that holds in some of the releases only.

    The other releases are asked only where there is something to lose by a wrong guess; where `check_as` is None they
    are not asked, and what they would say is not known.
    """
    if not best.also or not any(map(_weighs, diagnostics)):
        return list(diagnostics)
    if check_as is None:
        unasked = f"not looked at for {_listed(best.also)}, which the file fits as well"
        return [
            _weaker(diagnostic, f"so in {_titled(best, [best.release])}, {unasked}")
            if _weighs(diagnostic)
            else diagnostic
            for diagnostic in diagnostics
        ]
    others = {release: frozenset(map(_mark, check_as(release))) for release in best.also}
    return [_loosened(diagnostic, best, others) if _weighs(diagnostic) else diagnostic for diagnostic in diagnostics]


def _weighs(diagnostic: Diagnostic) -> bool:
    """True for what stops a run, or changes a file without being asked."""
    return diagnostic.severity is Severity.ERROR or (diagnostic.fix is not None and diagnostic.fix.safe)


def _mark(diagnostic: Diagnostic) -> tuple[str, str, Place | None]:
    return diagnostic.code, diagnostic.key, diagnostic.place


def _loosened(
    diagnostic: Diagnostic, best: Guess, others: dict[str, frozenset[tuple[str, str, Place | None]]]
) -> Diagnostic:
    without = [release for release, marks in others.items() if _mark(diagnostic) not in marks]
    if not without:
        return diagnostic
    holding = [best.release, *(release for release in others if release not in without)]
    return _weaker(
        diagnostic, f"so in {_titled(best, holding)}, not in {_listed(without)}, which the file fits as well"
    )


def _titled(best: Guess, releases: Sequence[str]) -> str:
    return f"{registry.framework(best.framework).title} {_listed(releases)}"


def _weaker(diagnostic: Diagnostic, where: str) -> Diagnostic:
    """The finding as one that need not hold: a warning, whose fix nobody makes unasked."""
    message = f"{diagnostic.message} ({where})"
    help_ = (
        f"{diagnostic.help}; --from-release names the release"
        if diagnostic.help
        else "--from-release names the release"
    )
    severity = Severity.WARNING if diagnostic.severity is Severity.ERROR else diagnostic.severity
    fix = replace(diagnostic.fix, safe=False) if diagnostic.fix is not None else None
    return replace(diagnostic, severity=severity, message=message, help=help_, fix=fix)


def _listed(releases: Sequence[str]) -> str:
    *most, last = releases
    return f"{', '.join(most)} and {last}" if most else last
