"""Runs all checks over one document: the reader's findings, keys and types, then the rules over the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from rftconf.base.diagnostics import MOST_COUNTED, Diagnostic, Severity, few
from rftconf.lint import key_checks as basic
from rftconf.lint import recognise_config as config_of
from rftconf.lint import registry, release_bound
from rftconf.lint.rule import Rule, RuleFinding
from rftconf.lint.subject import Cluster, Subject, subjects
from rftconf.load.effective import live_leaves, too_many_stages
from rftconf.mappers.value_errors import STUMBLES
from rftconf.schemas.guess import Guess
from rftconf.schemas.registry import at_least
from rftconf.schemas.registry import framework as framework_of
from rftconf.text.document import Document

LOWEST = Severity.INFO
GENERAL = frozenset({"KEY008", "KEY016"})
"""Codes of what is said of any key that is set for nothing or whose value cannot be used: a rule of its own says more."""
MOST_ASKED_AGAIN = 1_000
"""Values in a file that is checked as one of each release that it fits as well; of a longer one that is not asked."""
_ORDER = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Selection:
    """The codes that count, given by prefixes: the longer prefix wins, and `ignore` wins over an equal `select`."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    threshold: Severity = Severity.INFO

    def takes(self, code: str) -> bool:
        """True when findings with `code` are wanted."""
        if not self.select and not self.ignore:
            return True
        chosen = max((len(p) for p in self.select if code.startswith(p)), default=-1 if self.select else 0)
        left_out = max((len(p) for p in self.ignore if code.startswith(p)), default=-1)
        return (chosen >= 0 and chosen > left_out) or (chosen >= 0 and left_out < 0)

    def wants(self, diagnostic: Diagnostic) -> bool:
        """True for a finding with a wanted code that is bad enough."""
        return self.takes(diagnostic.code) and _ORDER[diagnostic.severity] >= _ORDER[self.threshold]


@dataclass(frozen=True, slots=True)
class Options:
    """Options that a check may be given beside the document."""

    framework: str | None = None
    release: str | None = None
    selection: Selection = field(default_factory=Selection)
    cluster: Cluster = field(default_factory=Cluster)
    fixes: bool = True
    """False where nobody looks at the fixes of rules, which take a tenth of a check."""


def check(document: Document, options: Options | None = None) -> list[Diagnostic]:
    """Every finding in `document`, in the order of places. Raises UsageError for unknown names.

    A document with reader's errors is checked as far as it was read; rules over the plan then stay silent.
    """
    options = options or Options()
    if document.is_plan:
        return _of_plan(document, options)
    best = config_of.recognised(document, options.framework, options.release)
    diagnostics = _of_release(document, best, options)
    if best is not None and best.also:

        def check_as(release: str) -> list[Diagnostic]:
            named = replace(options, framework=best.framework, release=release, fixes=False)
            return _of_release(document, config_of.recognised(document, best.framework, release), named)

        diagnostics = release_bound.loosen(diagnostics, best, None if document.size > MOST_ASKED_AGAIN else check_as)
    return _select_findings(_most_telling([*document.diagnostics, *diagnostics]), options)


def _of_release(document: Document, best: Guess | None, options: Options) -> list[Diagnostic]:
    """Return the findings of a document read as the framework and release of `best`."""
    diagnostics = list(basic.check(document, options.framework, options.release))
    many = None if best is None else too_many_stages(live_leaves(document, best.framework))
    if many is not None:
        return [*diagnostics, many]
    if best is not None and document.readable and not _is_cut_short(document):
        rules = _select_rules(best.framework, best.release, options.selection)
        diagnostics += run(document, best, rules, options.cluster, fixes=options.fixes)
    return diagnostics


def _is_cut_short(document: Document) -> bool:
    """True where the command has an argument without a key: most often it ends there, so that nothing behind it is given."""
    return any(d.code == "SYN304" and d.severity is Severity.ERROR for d in document.diagnostics)


def _select_findings(diagnostics: Iterable[Diagnostic], options: Options) -> list[Diagnostic]:
    return sorted(few(d for d in diagnostics if options.selection.wants(d)), key=position)


def _of_plan(document: Document, options: Options) -> list[Diagnostic]:
    from rftconf.lint.plan_check import plan_findings

    def wanted(best: Guess) -> tuple[Rule, ...]:
        return _select_rules(best.framework, best.release, options.selection)

    run_rule = partial(_run_rule, fixes=False)
    return _select_findings(plan_findings(document, options.cluster, options.framework, wanted, run_rule), options)


def _most_telling(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Without what is said of values in general where a rule says more of the same key."""
    keys = {d.key for d in diagnostics if d.code not in GENERAL and d.key and d.severity is not Severity.INFO}
    return [d for d in diagnostics if d.code not in GENERAL or d.key not in keys]


@lru_cache(maxsize=64)
def _select_rules(framework: str, release: str, selection: Selection) -> tuple[Rule, ...]:
    """The rules that speak of a framework and release, and that somebody asked for."""
    known = registry.rules_for(framework_of(framework).family)
    return tuple(rule for rule in known if selection.takes(rule.code) and _applies(rule, framework, release))


@lru_cache(maxsize=64)
def looked_for(selection: Selection) -> tuple[str, ...]:
    """Every code that a check with this selection may find."""
    from rftconf.lint.codes import CODES

    return tuple(code for code in (*CODES, *(rule.code for rule in registry.rules())) if selection.takes(code))


def run(
    document: Document,
    best: Guess,
    rules: Iterable[Rule],
    cluster: Cluster | None = None,
    *,
    fixes: bool = True,
    alone: bool | None = None,
) -> list[Diagnostic]:
    """Run the `rules` over each stage and give their findings.

    `alone` says whether a key that is not written has its default; None takes what the document shows.
    """
    chosen = tuple(rules)
    alone = basic.stands_alone(document, best) if alone is None else alone
    return [
        result
        for subject in subjects(document, best, cluster or Cluster(), alone=alone)
        for rule in chosen
        for result in _run_rule(rule, subject, fixes=fixes)
    ]


def _run_rule(rule: Rule, subject: Subject, *, fixes: bool) -> list[Diagnostic]:
    """Return one rule's findings, until it meets a value not of its key's type, which has a finding of its own."""
    diagnostics = list[Diagnostic]()
    try:
        for finding in rule.find(subject):
            # above somebody's own config, what is not written here may be written there
            known = subject.alone or finding.place is not None or subject.written(finding.keys[0])
            if known and subject.acts_as_released(finding.keys):
                diagnostics.append(diagnostic(rule, finding, subject, fixes=fixes))
            if len(diagnostics) >= MOST_COUNTED:
                break
    except STUMBLES:
        if not subject.reading.value_errors and not subject.reading.unread_rows:
            raise
    return diagnostics


def applies(rule: Rule, best: Guess) -> bool:
    """True when a rule speaks of this framework and release."""
    return _applies(rule, best.framework, best.release)


def _applies(rule: Rule, framework: str, release: str) -> bool:
    if rule.frameworks and framework not in rule.frameworks:
        return False
    if rule.since and not at_least(framework, release, rule.since):
        return False
    return not rule.until or at_least(framework, rule.until, release)


def diagnostic(rule: Rule, finding: RuleFinding, subject: Subject, *, fixes: bool = True) -> Diagnostic:
    """A rule's finding as a diagnostic with its place, related places and, where asked for, its fix."""
    help_ = finding.help or rule.advice
    made_diagnostic = Diagnostic(
        rule.code,
        finding.severity or rule.severity,
        finding.message,
        finding.place or subject.place(finding.keys),
        subject.labels(finding.keys),
        help_,
        key=subject.key(finding.keys[0]) if finding.keys else "",
    )
    if not fixes or not finding.fix:
        return made_diagnostic
    from rftconf.lint import patching

    fix = patching.fix_of(subject, finding)
    return made_diagnostic if fix is None else replace(made_diagnostic, fix=fix)


def position(diagnostic: Diagnostic) -> tuple[str, int, str]:
    """Return a finding's sort key: file, place, code."""
    place = diagnostic.place
    return (place.file, place.span.start, diagnostic.code) if place else ("", 0, diagnostic.code)
