"""Every rule's own examples: the bad one is found, at one of its own lines; the good one is not; fixes hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rftconf.base.diagnostics import Diagnostic
from rftconf.lint import engine, fixing, registry
from rftconf.lint.rule import Example, Rule
from rftconf.lint.subject import Cluster
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import documents

CLUSTER = Cluster(nodes=8, gpus_per_node=8)
RULES = registry.rules()
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])


def check(document: Document, example: Example) -> list[Diagnostic]:
    cluster = replace(CLUSTER, gpu=example.gpu)
    return engine.check(document, engine.Options(example.framework, example.release, cluster=cluster))


@each_rule
def test_the_bad_example_is_found_at_its_own_lines(rule: Rule) -> None:
    for document in documents(rule.bad):
        assert document.readable, document.diagnostics
        diagnostics = [d for d in check(document, rule.bad) if d.code == rule.code]
        assert diagnostics, f"{rule.code} says nothing about {rule.bad.lines}"
        for diagnostic in diagnostics:
            assert diagnostic.place is not None
            span = diagnostic.place.span
            assert 0 <= span.start < span.end <= len(document.text)
            assert diagnostic.message
            assert diagnostic.help
        written = [line for line in rule.bad.lines if not line.startswith("~")]
        if written:
            lines = {leaf.place.span.line for leaf in document.leaves if _among(leaf.key, written)}
            assert {d.place.span.line for d in diagnostics if d.place} & lines, (diagnostics, lines)


def _among(key: str, lines: list[str]) -> bool:
    return any(key == line.lstrip("+").partition("=")[0] for line in lines)


@each_rule
def test_the_good_example_is_silent(rule: Rule) -> None:
    for document in documents(rule.good):
        assert document.readable
        assert [d for d in check(document, rule.good) if d.code == rule.code] == []


@pytest.mark.parametrize("framework", ["verl", "trinity", "chatlearn", "roll"])
def test_the_base_configs_are_clean(framework: str) -> None:
    for document in documents(Example(framework, ())):
        assert [f"{d.code} {d.message}" for d in check(document, Example(framework, ()))] == []


@each_rule
def test_what_is_fixable_is_fixed(rule: Rule) -> None:
    count = 0
    for document in documents(rule.bad):

        def again(text: str, name: str = document.name) -> tuple[Document, list[Diagnostic]]:
            fresh = read(Source(name, text))
            return fresh, [d for d in check(fresh, rule.bad) if d.code == rule.code]

        _, diagnostics = again(document.text)
        expected = {"framework": rule.bad.framework, "release": rule.bad.release}
        done = fixing.fix(document, diagnostics, again, unsafe=True, **expected)
        count += len(done.made)
        assert done.left == () or not rule.fixable
        fresh, new_diagnostics = again(done.text)
        assert fixing.fix(fresh, new_diagnostics, again, unsafe=True, **expected).text == done.text
    assert bool(count) is rule.fixable


@each_rule
def test_a_rule_says_why(rule: Rule) -> None:
    assert len(rule.why) > 40
    assert rule.source
    assert rule.advice
    assert not rule.title.endswith(".")
