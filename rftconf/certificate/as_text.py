"""The report of a certificate's checks, those that hold and those that do not, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rftconf.report.screen import Screen, joined, printable

if TYPE_CHECKING:
    from rftconf.certificate.checks import Check
    from rftconf.certificate.model import Certificate

EFFECTS = ("mathematics", "measurement", "performance", "bookkeeping")
VERSION = 1
"""Of the JSON form."""


def verification_text(name: str, claimed: Certificate, checks: Sequence[Check], screen: Screen, *, full: bool) -> str:
    """Return the claim, then one line a check with its problems below it; checks that hold only with `full`."""
    failed = sum(bool(check.problems) for check in checks)
    lines = []
    for check in checks:
        if not check.problems and not full:
            continue
        mark = screen.style("✗", "red") if check.problems else screen.style("✓", "green")
        lines.append(f"  {mark} {printable(check.name)}")
        for problem in check.problems:
            first, *more = screen.wrap(problem, 6)
            lines += [f"      {first}", *(f"      {text}" for text in more)]
    answer = "it holds" if not failed else f"{failed} of {len(checks)} checks no longer hold"
    tone = "red" if failed else "green"
    head = f"{printable(name)}: {screen.style(answer, 'bold', tone)}"
    return joined([head, *(f"  {text}" for text in screen.wrap(claim_text(claimed), 2)), *lines])


def claim_text(claimed: Certificate) -> str:
    """Return the claim of a certificate in one sentence."""
    counts = {effect: sum(entry.effect == effect for entry in claimed.differences) for effect in EFFECTS}
    listed = ", ".join(f"{count} of {effect}" for effect, count in counts.items() if count)
    differing = f" (fields that differ: {listed})" if listed else ""
    source, target = (f"{run.framework} {run.release}" for run in (claimed.source_run, claimed.target_run))
    mathematics = "" if claimed.mathematics == claimed.verdict else f"; in the mathematics: {claimed.mathematics}"
    lead = f"it says of {printable(claimed.source.file)} ({source}) and its conversion to {target}: "
    return f"{lead}{claimed.verdict}{mathematics}{differing}"


def verification_json(name: str, claimed: Certificate, checks: Sequence[Check]) -> dict[str, Any]:
    """Every check with its problems."""
    return {
        "version": VERSION,
        "certificate": name,
        "verdict": claimed.verdict,
        "mathematics": claimed.mathematics,
        "holds": not any(check.problems for check in checks),
        "checks": [
            {"name": check.name, "holds": not check.problems, "problems": list(check.problems)} for check in checks
        ],
    }
