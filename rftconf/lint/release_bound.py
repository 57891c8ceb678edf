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


def loosen(found: Sequence[Diagnostic], best: Guess, check_as: Check | None) -> list[Diagnostic]:
    """The findings, in which none is an error or a safe fix that holds in some of the releases only.

    The other releases are asked only where there is something to lose by a wrong guess; where `check_as` is None they
    are not asked, and what they would say is not known.
    """
    if not best.also or not any(map(_weighs, found)):
        return list(found)
    if check_as is None:
        unasked = f"not looked at for {_listed(best.also)}, which the file fits as well"
        return [
            _weaker(one, f"so in {_titled(best, [best.release])}, {unasked}") if _weighs(one) else one for one in found
        ]
    others = {release: frozenset(map(_mark, check_as(release))) for release in best.also}
    return [_loosened(one, best, others) if _weighs(one) else one for one in found]


def _weighs(one: Diagnostic) -> bool:
    """True for what stops a run, or changes a file without being asked."""
    return one.severity is Severity.ERROR or (one.fix is not None and one.fix.safe)


def _mark(one: Diagnostic) -> tuple[str, str, Place | None]:
    return one.code, one.key, one.place


def _loosened(one: Diagnostic, best: Guess, others: dict[str, frozenset[tuple[str, str, Place | None]]]) -> Diagnostic:
    without = [release for release, marks in others.items() if _mark(one) not in marks]
    if not without:
        return one
    holding = [best.release, *(release for release in others if release not in without)]
    return _weaker(one, f"so in {_titled(best, holding)}, not in {_listed(without)}, which the file fits as well")


def _titled(best: Guess, releases: Sequence[str]) -> str:
    return f"{registry.framework(best.framework).title} {_listed(releases)}"


def _weaker(one: Diagnostic, where: str) -> Diagnostic:
    """The finding as one that need not hold: a warning, whose fix nobody makes unasked."""
    message = f"{one.message} ({where})"
    help_ = f"{one.help}; --from-release names the release" if one.help else "--from-release names the release"
    severity = Severity.WARNING if one.severity is Severity.ERROR else one.severity
    fix = replace(one.fix, safe=False) if one.fix is not None else None
    return replace(one, severity=severity, message=message, help=help_, fix=fix)


def _listed(releases: Sequence[str]) -> str:
    *most, last = releases
    return f"{', '.join(most)} and {last}" if most else last
