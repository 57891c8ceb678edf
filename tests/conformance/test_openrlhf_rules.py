"""OpenRLHF's own program judges rftconf's rules: it stops at what a rule says it stops at, in every release, and at nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.test_openrlhf_programs import RELEASES, answers
from tests.lint.bases import as_flags
from tests.lint.test_openrlhf_rules import SPOKEN, of_release, releases_of

AT_START = (501, 502, 503, 507, 509, 510, 521, 524, 526, 527, 528, 553, 559)
"""Rules of what train_ppo_ray checks before anything is loaded; others stop later, or do not stop."""
CHECKED = [rule for rule in SPOKEN if int(rule.code[3:]) in AT_START]


def examples(release: str) -> dict[tuple[str, bool], str]:
    """A script for the bad and the good example of each rule that holds in a release and has its flags there."""
    scripts = {}
    for rule in SPOKEN:
        for example in (rule.bad, rule.good):
            lines = of_release(example, release) if release in releases_of(rule) else None
            if lines is not None:
                scripts[rule.code, example is rule.bad] = as_flags(lines)
    return scripts


@pytest.mark.parametrize("release", RELEASES)
def test_the_program_stops_where_rules_say_so(release: str, tmp_path: Path) -> None:
    scripts = examples(release)
    replies = dict(zip(scripts, answers(release, list(scripts.values()), tmp_path), strict=True))
    stopped = {case for case, reply in replies.items() if "refused" in reply}
    codes = {rule.code for rule in CHECKED}
    assert {case for case in stopped if not case[1] or case[0] not in codes} == set()
    assert {code for code, bad in replies if bad and code in codes} == {code for code, _ in stopped}


def test_each_of_them_is_an_error() -> None:
    assert len(CHECKED) == len(AT_START)
    assert {rule.severity.value for rule in CHECKED} == {"error"}
