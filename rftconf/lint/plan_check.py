"""Checks of a plan that was written as a document: its form, then the rules that hold for every framework."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.errors import RftconfError
from rftconf.lint.rule import Rule
from rftconf.lint.subject import Cluster, Subject
from rftconf.load.plan_document import load_plan, plan_of
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document


def plan_problems(document: Document) -> list[Diagnostic]:
    """Return the problems that keep a document from being a plan."""
    return [*document.diagnostics, *plan_of(document)[1]]


def plan_subjects(document: Document, cluster: Cluster, framework: str | None) -> Iterator[Subject]:
    """One subject per stage; none where the plan does not say whose run it is."""
    try:
        loaded = load_plan(document, framework=framework)
    except RftconfError:
        return
    leaves = loaded.document.last()
    for stage in loaded.stages:
        yield Subject(loaded.document, loaded.guess, stage.reading, leaves, cluster=cluster)


Told = Callable[[Rule, Subject], list[Diagnostic]]
Wanted = Callable[[Guess], tuple[Rule, ...]]


def plan_findings(
    document: Document, cluster: Cluster, framework: str | None, rules_of: Wanted, run_rule: Told
) -> list[Diagnostic]:
    """Problems of the form; without any, what `run_rule` says for the rules of `rules_of` that speak of no framework's own keys."""
    problems = plan_problems(document)
    if problems:
        return problems
    return [
        diagnostic
        for subject in plan_subjects(document, cluster, framework)
        for rule in rules_of(subject.best)
        if not rule.frameworks
        for diagnostic in run_rule(rule, subject)
    ]
