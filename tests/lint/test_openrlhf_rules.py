"""OpenRLHF's own rules hold in every release that they name, under the flags of that release; many say more than once."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.lint import engine, registry
from rftconf.lint.rule import Example, Rule, openrlhf
from rftconf.schemas.registry import OPENRLHF, at_least
from tests.lint.bases import documents, in_names_of

RULES = [rule for rule in registry.family("DIA") if rule.frameworks == ("openrlhf",)]
SPOKEN = [rule for rule in RULES if rule.bad.release is None]
"""Those whose examples have the newest release's names."""


def findings(example: Example) -> list[Diagnostic]:
    (document,) = documents(example)
    assert document.readable, document.diagnostics
    return engine.check(document, engine.Options("openrlhf", example.release))


def found(code: str, *lines: str, release: str | None = None) -> list[Diagnostic]:
    return [d for d in findings(openrlhf(*lines, release=release)) if d.code == code]


def releases_of(rule: Rule) -> list[str]:
    """The releases that a rule speaks of, of which one flag of its example is there."""
    return [
        release
        for release in OPENRLHF.releases
        if (not rule.since or at_least("openrlhf", release, rule.since))
        and (not rule.until or at_least("openrlhf", rule.until, release))
    ]


def of_release(example: Example, release: str) -> Example | None:
    """The example under the flags of `release`; None where that has none of one of them."""
    taken = tuple(line for line in example.lines if line.startswith("~"))
    bare = tuple(f"{line[1:]}=1" for line in taken)
    written = tuple(line for line in example.lines if not line.startswith("~"))
    new, gone = in_names_of(written, release), in_names_of(bare, release)
    if len(new) != len(written) or len(gone) != len(bare):
        return None
    return openrlhf(*new, *(f"~{line.partition('=')[0]}" for line in gone), release=release)


def cases() -> list[tuple[Rule, str]]:
    return [(rule, release) for rule in SPOKEN for release in releases_of(rule)]


@pytest.mark.parametrize(("rule", "release"), cases(), ids=lambda part: part if isinstance(part, str) else part.code)
def test_a_rule_holds_under_the_flags_of_every_release_it_names(rule: Rule, release: str) -> None:
    bad, good = of_release(rule.bad, release), of_release(rule.good, release)
    if bad is not None:
        assert rule.code in {d.code for d in findings(bad)}
    if good is not None:
        assert rule.code not in {d.code for d in findings(good)}


def test_both_generations_of_flags_are_tried_for_every_rule_that_holds_in_both() -> None:
    for rule in SPOKEN:
        old = [r for r in releases_of(rule) if not at_least("openrlhf", r, "0.10.2") and of_release(rule.bad, r)]
        assert old or (rule.since and at_least("openrlhf", rule.since, "0.10.2")), rule.code


@pytest.mark.parametrize("release", OPENRLHF.releases)
def test_the_base_is_fine_in_every_release(release: str) -> None:
    assert [
        f"{d.code} {d.message}" for d in findings(openrlhf(release=release)) if d.severity is not Severity.INFO
    ] == []
