"""OpenRLHF's own rules hold in every release that they name, under the flags of that release; many say more than once."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.patch import apply
from rftconf.lint import engine, registry
from rftconf.lint.rule import Example, Rule, openrlhf
from rftconf.schemas.registry import OPENRLHF, at_least
from tests.lint.bases import documents, in_names_of

RULES = [rule for rule in registry.family("DIA") if rule.frameworks == ("openrlhf",)]
SPOKEN = [rule for rule in RULES if rule.bad.release is None]
"""The rules whose examples have the newest release's names."""


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
    new, dropped_lines = in_names_of(written, release), in_names_of(bare, release)
    if len(new) != len(written) or len(dropped_lines) != len(bare):
        return None
    return openrlhf(*new, *(f"~{line.partition('=')[0]}" for line in dropped_lines), release=release)


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


def test_a_sequence_above_the_budget_is_a_batch_of_its_own() -> None:
    """1000 tokens a GPU, and sequences of 2048 (seqlen_balancing.py: get_minimum_num_micro_batch_size)."""
    lines = ("train.dynamic_batch_enable=true", "train.max_tokens_per_gpu=1000", "rollout.max_tokens_per_gpu=1000")
    for code in ("LEN002", "LEN003"):
        diagnostics = found(code, *lines)
        assert diagnostics
        assert {d.severity for d in diagnostics} == {Severity.INFO}
        assert all(d.fix is None and "one of its own" in d.message for d in diagnostics)


@pytest.mark.parametrize(
    ("estimator", "release", "severity"),
    [
        ("group_norm", "0.8.0", Severity.ERROR),
        ("dr_grpo", "0.10.4", Severity.WARNING),
        ("dr_grpo", "0.11.0", Severity.ERROR),
    ],
)
def test_a_group_of_one_stops_the_run(estimator: str, release: str, severity: Severity) -> None:
    lines = (f"algo.advantage.estimator={estimator}", "rollout.n_samples_per_prompt=1")
    (diagnostic,) = found("BAT011", *in_names_of(lines, release), release=release)
    assert diagnostic.severity is severity


def test_a_rule_about_scorers_is_silent_where_a_flag_of_a_fork_may_score() -> None:
    assert found("DIA551", "~reward.remote_url")
    assert not found("DIA551", "~reward.remote_url", "reward.env_file=/code/env.py")


def test_flags_of_a_script_are_fixed() -> None:
    """The switch goes with its line, and the value alone changes."""
    example = openrlhf("train.partial_rollout_enable=true", "algo.kl.estimator=k1")
    (document,) = documents(example)
    patches = [
        patch
        for d in engine.check(document, engine.Options("openrlhf"))
        if d.code in ("DIA510", "DIA531") and d.fix is not None
        for patch in d.fix.patches
    ]
    text = apply(document.text, patches)
    old_lines = set(document.text.splitlines()) - set(text.splitlines())
    assert {line.strip(" \\") for line in old_lines} == {"--train.partial_rollout_enable", "--algo.kl.estimator k1"}
    assert "--algo.kl.estimator k2" in text


def test_rows_are_compared_with_what_the_loader_takes_at_once() -> None:
    lines = ("data.max_samples=100", "rollout.vllm_generate_batch_size=50")
    assert found("DIA529", *in_names_of(lines, "0.8.11"), release="0.8.11") == []
    (dropped,) = found("DIA529", *in_names_of(lines[:1], "0.8.11"), release="0.8.11")
    assert dropped.severity is Severity.ERROR
    (short,) = found("DIA529", *lines)
    assert short.severity is Severity.WARNING
