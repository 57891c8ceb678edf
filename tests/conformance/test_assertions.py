"""What our list says that ROLL and ChatLearn assert is what they assert: the base is accepted, each case is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.lint.rule import Example
from tests.conformance.environment import judges_of
from tests.conformance.judging import Bench, Verdict
from tests.lint.assertions import ASSERTIONS, LATER
from tests.lint.bases import as_yaml

CASES = [case for case in ASSERTIONS if case[0] in ("roll", "chatlearn")]
NEWEST = {"roll": "0.3.0", "chatlearn": "2025.10.23"}


def said(bench: Bench, framework: str, release: str, lines: str, folder: Path) -> Verdict:
    judges = judges_of(framework, release)
    if not judges:
        pytest.skip(f"{framework} {release} is not installed")
    file = folder / "run.yaml"
    file.write_text(as_yaml(Example(framework, tuple(lines.splitlines()))))
    return bench.ask(judges[-1], {"file": str(file)})


@pytest.mark.parametrize("framework", NEWEST)
def test_the_config_without_a_mistake_is_accepted(bench: Bench, framework: str, tmp_path: Path) -> None:
    assert said(bench, framework, NEWEST[framework], "", tmp_path).ok


@pytest.mark.parametrize(
    ("framework", "release", "where", "lines", "code"), CASES, ids=[f"{c[0]}-{c[2]}" for c in CASES]
)
def test_the_framework_asserts_it(bench: Bench, framework: str, release: str, where: str, lines: str, code: str, tmp_path: Path) -> None:  # fmt: skip
    assert said(bench, framework, release, lines, tmp_path).ok is (where in LATER)
