"""Real configs of both projects, converted: what comes out is accepted, or the conversion was refused with a reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.cases import CORPUS, DECISIONS, ROWS, Real, corpora, thinned
from tests.conformance.conftest import OUTCOME
from tests.conformance.conversions import REFUSED, convert, decide, differences_after, judge
from tests.conformance.environment import TARGETS, Target
from tests.conformance.judging import Bench

RUNS = [(target, name) for target in TARGETS for name in corpora() if not name.lower().startswith(target.framework)]


def without_numbers(reason: str) -> str:
    """Reasons that differ only in their numbers are one reason."""
    return re.sub(r"\d+", "N", reason)[:100]


def outcome_of(bench: Bench, target: Target, real: Real, folder: Path) -> str:
    """`accepted`, `refused: why`, `undecided: what`, or what went wrong."""
    options = ["--from", real.framework, "--from-release", real.release, "--rows", ROWS]
    converted = convert(real.write(folder), target, folder, options)
    if converted.code == REFUSED:
        return f"refused: {without_numbers(converted.reason)}"
    if converted.code:
        return f"exit {converted.code}: {converted.said}"
    still_open = decide(target, converted.file, DECISIONS)
    if still_open:
        return f"undecided: {', '.join(still_open)}"
    verdict = judge(bench, target, converted.file, folder)
    if not verdict.ok:
        return str(verdict)
    differing = differences_after(target, verdict, converted.file, folder)
    return f"another plan: {'; '.join(differing[:8])}" if differing else "accepted"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of upstream examples beside the project")
@pytest.mark.parametrize(("target", "name"), RUNS, ids=[f"{name}-{target}" for target, name in RUNS])
def test_converted_examples_are_accepted(
    bench: Bench, target: Target, name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    counts: Counter[str] = Counter()
    failures = []
    for real in thinned(corpora()[name]):
        try:
            outcome = outcome_of(bench, target, real, tmp_path)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            outcome = f"rftconf fails: {type(error).__name__}: {error}"
        expected = outcome == "accepted" or outcome.startswith(("refused: ", "undecided: "))
        read_back = outcome.startswith("another plan: ")
        counts[outcome if expected else "accepted" if read_back else "rejected"] += 1
        counts["read back as another plan"] += read_back
        if not expected:
            failures.append(f"{real.name}: {outcome}")
    record_property(OUTCOME, (name, str(target), dict(counts)))
    assert not failures, "\n".join(failures)
