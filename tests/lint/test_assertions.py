"""Everything that a framework's own validator asserts of a config is found by us before it runs."""

from __future__ import annotations

from functools import cache

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.lint import engine
from rftconf.lint.rule import Example
from tests.lint.assertions import ASSERTIONS
from tests.lint.bases import documents

ESTIMATOR = "algorithm.adv_estimator=gae"


@cache
def codes(framework: str, release: str, lines: tuple[str, ...]) -> frozenset[str]:
    document = documents(Example(framework, lines))[0]
    diagnostics = engine.check(document, engine.Options(framework, release))
    return frozenset(d.code for d in diagnostics if d.severity is not Severity.INFO)


@pytest.mark.parametrize(
    ("framework", "release", "where", "lines", "code"), ASSERTIONS, ids=[f"{a[0]}-{a[2]}" for a in ASSERTIONS]
)
def test_the_assertion_is_found(framework: str, release: str, where: str, lines: str, code: str) -> None:
    written = tuple(lines.splitlines())
    # what a critic brings with it is no part of the mistake
    before = codes(framework, release, (ESTIMATOR,) if ESTIMATOR in written else ())
    assert code in codes(framework, release, written) - before, where


def test_each_part_of_the_rules_is_there() -> None:
    parts = {(framework, where.split()[0]) for framework, _, where, _, _ in ASSERTIONS}
    assert {f"1.2.{number}" for number in range(1, 19)} - {part for _, part in parts} == {"1.2.3"}  # no assertion
    assert {part for framework, part in parts if framework == "trinity"} == {"2.1", "2.2"}
    assert {part for framework, part in parts if framework == "roll"} == {f"3.{n}" for n in (1, 2, 3, 4, 5, 7)}
    assert {part for framework, part in parts if framework == "chatlearn"} == {f"4.{n}" for n in (1, 2, 3, 4)}
