"""What our list says that ROLL and ChatLearn assert is what they assert: the base is accepted, each case is refused. So it is
with what veRL asserts of teachers."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from rftconf.lint.registry import rule_of
from rftconf.lint.rule import Example
from tests.conformance.environment import VERL_TARGETS, Target, judges_of
from tests.conformance.judging import Bench, Verdict
from tests.lint.assertions import ASSERTIONS, LATER
from tests.lint.bases import as_shell, as_yaml

CASES = [case for case in ASSERTIONS if case[0] in ("roll", "chatlearn")]
TEACHERS = [case for case in ASSERTIONS if case[0] == "verl" and "teacher" in case[3]]
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


def verl_says(bench: Bench, target: Target, lines: tuple[str, ...]) -> Verdict:
    words = shlex.split(as_shell(Example("verl", lines, target.release)).replace("\\\n", " "))
    return bench.ask(target, {"overrides": words[words.index("verl.trainer.main_ppo") + 1 :]})


WITH_TEACHERS = [target for target in VERL_TARGETS if target.release in ("0.8.0", "0.9.1")]


@pytest.mark.parametrize("target", WITH_TEACHERS, ids=str)
@pytest.mark.parametrize("case", TEACHERS, ids=[case[2] for case in TEACHERS])
def test_verl_asserts_it_of_teachers(bench: Bench, target: Target, case: tuple[str, str, str, str, str]) -> None:
    verdict = verl_says(bench, target, tuple(case[3].splitlines()))
    assert not verdict.ok
    assert "[distillation]" in verdict.error


@pytest.mark.parametrize("target", WITH_TEACHERS, ids=str)
@pytest.mark.parametrize("code", ["DIA017", "DIA018", "DIA019", "DIA020", "DIA021", "DIA022"])
def test_verl_accepts_the_good_examples(bench: Bench, target: Target, code: str) -> None:
    """And, without a word, what DIA017 warns of."""
    rule = rule_of(code)
    assert rule is not None
    assert verl_says(bench, target, rule.good.lines).ok
    assert verl_says(bench, target, rule.bad.lines).ok is (code == "DIA017")
