"""The judges' life in a test session, and the table of what they accepted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.environment import Target, folder
from tests.conformance.judging import Bench

OUTCOME = "conformance"
"""Name of the property in which a test reports what became of its cases."""


def target_of(item: pytest.Item) -> Target | None:
    """The judge a test needs, if any."""
    callspec = getattr(item, "callspec", None)
    result = callspec.params.get("target") if callspec else None
    return result if isinstance(result, Target) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each judge's tests in a row, and on one worker: a judge takes seconds to start and 1 GB while it runs."""
    items.sort(key=lambda item: str(target_of(item) or ""))
    for item in items:
        item.add_marker(pytest.mark.conformance)
        item.add_marker(pytest.mark.xdist_group(str(target_of(item))))


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    """The judges; each starts with its first case."""
    if not (folder() / "venv" / "bin" / "python").exists():
        pytest.fail(f"no frameworks in {folder()}: run `make conformance-env`", pytrace=False)
    judges = Bench()
    yield judges
    judges.close()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print accepted of total per corpus and target, and why conversions were refused."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == OUTCOME and report.when == "call":
                    corpus, target, outcomes = value
                    counts[target, corpus].update(outcomes)
    if not counts:
        return
    terminalreporter.section("what the frameworks accepted")
    for (target, corpus), outcomes in sorted(counts.items()):
        accepted, rejected = outcomes.pop("accepted", 0), outcomes.pop("rejected", 0)
        terminalreporter.write_line(f"{target:<28}{corpus:<22}{accepted:>5}/{accepted + rejected} accepted")
        for reason, count in sorted(outcomes.items()):
            terminalreporter.write_line(f"{'':<28}{'':<22}{count:>5} {reason}")
