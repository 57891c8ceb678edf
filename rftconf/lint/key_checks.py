"""The first checks: keys that no release knows, keys of another release or framework, values of a wrong type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from rftconf.base.diagnostics import Diagnostic, Fix, Severity
from rftconf.base.span import Place, Span
from rftconf.base.symbols import Expr
from rftconf.lint.chosen_parts import is_chosen
from rftconf.lint.interpolated import unresolved
from rftconf.lint.key_subject import KeySubject
from rftconf.lint.recognise_config import guess_of, knows, launches
from rftconf.lint.renaming import corrected, renamed
from rftconf.load.base_files import has_other_defaults
from rftconf.report.values import render_value
from rftconf.schemas import catalogue, own_keys, registry, suggest, values, versions
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf, Mode
from rftconf.text.launch.programs import main_of

_REACH = 2
"""Edits up to which a key counts as misspelt."""


def check(document: Document, framework: str | None, release: str | None) -> tuple[Diagnostic, ...]:
    """Return the findings on the keys and values of `document`, in the order of its leaves.

    Framework and release are guessed where they are None; a guess that is not certain is said, with its reasons.
    Raises UsageError for a framework or release that is not known.
    """
    if not document.leaves:
        return ()
    program = document.launch.program if document.launch else ""
    own = registry.started_by(program, registry.variants(framework)) if main_of(program) else ()
    if release is not None and own and not any(registry.has(framework, release) for framework in own):
        return (_no_catalogue(document, release),)
    best = guess_of(document, framework, release)
    if framework is None and not knows(best, document, 1) and not launches(document, best.framework):
        return (_not_a_config(document),)
    if (unread := _of_an_unread_section(document, best)) is not None:
        return (unread,)
    subject = KeySubject(document, best, guessed=release is None)
    diagnostics = list(_leaves(subject.unspoken, subject))
    if not subject.own_config:
        diagnostics += unresolved(document, subject.catalogue_of_release)
    release_diagnostics = (
        _report_guess(document, best) if release is None and any(f.code in _BY_RELEASE for f in diagnostics) else ()
    )
    return (*release_diagnostics, *diagnostics)


def _of_an_unread_section(document: Document, best: Guess) -> Diagnostic | None:
    """The first key of a section that only a config of another kind has: no other key of the file means what it says here."""
    known = registry.framework(best.framework)
    for leaf in document.leaves:
        why = known.unread_sections.get(leaf.key.partition(".")[0])
        if why is not None:
            return _at_key("KEY003", Severity.ERROR, leaf, f"{leaf.key} is not read: {why}", f"use {known.instead}")
    return None


def stands_alone(document: Document, best: Guess) -> bool:
    """True when what `document` leaves out is the release's own default, not that of a config of somebody's own."""
    return not (document.missing or has_other_defaults(document, best) or KeySubject(document, best).own_config)


_BY_RELEASE = frozenset({"KEY001", "KEY003", "KEY005", "KEY007"})
_PREFIXES = {Mode.ADD: "+", Mode.FORCE: "++"}


_MOST_FINE = 50_000
"""Leaves remembered about which there is nothing to say."""


@lru_cache(maxsize=64)
def _fine(known: Catalogue, overrides: bool) -> set[object]:
    """Keys with values about which there is nothing to say; the next file has most of them too."""
    del known, overrides
    return set()


def _leaves(leaves: Iterable[Leaf], subject: KeySubject) -> Iterator[Diagnostic]:
    fine = _fine(subject.catalogue_of_release, subject.overrides)
    for leaf in leaves:
        value = leaf.value
        if isinstance(value, (list, dict, Expr)):
            yield from _leaf(leaf, subject)
            continue
        like = (leaf.key, leaf.mode is Mode.SET or leaf.mode, type(value), value)
        if like not in fine:
            diagnostics = list(_leaf(leaf, subject))
            yield from diagnostics
            if not diagnostics and len(fine) < _MOST_FINE:
                fine.add(like)


def _leaf(leaf: Leaf, subject: KeySubject) -> Iterator[Diagnostic]:
    if subject.overrides and is_chosen(subject.parts, leaf.key):
        return
    verdict = judge(subject.catalogue_of_release, leaf.mode.value + leaf.key, leaf.value, overrides=subject.overrides)
    match verdict:
        case Verdict.UNKNOWN:
            yield from _unknown(leaf, subject)
        case Verdict.FREE:
            yield from _free(leaf, subject)
        case Verdict.DEAD if not subject.fork:
            why = versions.dead(subject.best.framework, subject.best.release, leaf.key, subject.best.trainer) or ""
            yield _at_key("KEY005", Severity.WARNING, leaf, f"{leaf.key} has no effect in {subject.title}", why)
        case Verdict.VALUE_REFUSED:
            message = f"{subject.title} no longer takes {leaf.value!r} for {leaf.key}"
            yield Diagnostic("KEY007", Severity.ERROR, message, leaf.place, key=leaf.key)
        case Verdict.CANNOT_APPEND:
            message = f"{leaf.key} is in {subject.title}'s config already, so Hydra refuses to add it"
            fix = renamed(subject.document, leaf, leaf.key, plus=False, safe=True)
            yield _at_key("KEY006", subject.worst, leaf, message, f"write {leaf.key}=… without the +", fix)
        case Verdict.NEEDS_PLUS:
            message = f"{leaf.key} is not in {subject.title}'s config, so Hydra wants it added"
            fix = renamed(subject.document, leaf, leaf.key, plus=True, safe=True)
            yield _at_key("KEY006", subject.worst, leaf, message, f"write +{leaf.key}=…", fix)
        case Verdict.TAKEN:
            yield from _check_value(leaf, subject)


def _check_value(leaf: Leaf, subject: KeySubject) -> Iterator[Diagnostic]:
    key = subject.catalogue_of_release.get(leaf.key)
    if key is None or leaf.mode is Mode.DELETE:
        return
    # Trinity's classes mark fields by where they are most used; in lists and maps people do set the same fields.
    if key.automatic and not set("[<") & set(subject.catalogue_of_release.canonical(leaf.key)):
        yield _at_key("KEY008", Severity.WARNING, leaf, f"{leaf.key} is set by {subject.title} itself", "leave it out")
    problem = values.wrong(subject.catalogue_of_release, key, leaf.value)
    if problem:
        # A loader that takes any key checks no types either, so what is wrong there need not stop a run.
        strict = registry.framework(subject.best.framework).refuses_unknown
        severity = Severity.ERROR if strict else Severity.WARNING
        help_ = f"its default is {render_value(key.default)}" if key.default not in (None, "", "???") else ""
        yield Diagnostic("KEY004", severity, f"{leaf.key} {problem}", leaf.place, help=help_, key=leaf.key)


def _free(leaf: Leaf, subject: KeySubject) -> Iterator[Diagnostic]:
    near = _misspelt(leaf.key, subject.catalogue_of_release)
    if near:
        message = f"{_PREFIXES.get(leaf.mode, '')}{leaf.key} adds a key that {subject.title} does not read"
        fix = corrected(subject.document, leaf, near, subject.catalogue_of_release)
        yield _at_key("KEY009", Severity.WARNING, leaf, message, f"did you mean {near}?", fix)


def _unknown(leaf: Leaf, subject: KeySubject) -> Iterator[Diagnostic]:
    from rftconf.lint.counterparts import other_framework

    if (above := subject.catalogue_of_release.value_above(leaf.key)) is not None:
        # a class that declares its types refuses the mapping, also where it drops keys that it does not know
        severity = subject.worst if above.inferred or subject.own_config else Severity.ERROR
        message = f"{above.name} {values.wrong_mapping(above)}, which {leaf.key} makes of it"
        yield _at_key("KEY004", severity, leaf, message, "")
        return
    message = f"{subject.title} has no key {leaf.key}"
    framework = registry.framework(subject.best.framework)
    if leaf.key in framework.older_keys:
        advice = f"only releases before {framework.releases[0]} had it: leave it out"
        yield _at_key("KEY003", subject.worst, leaf, message, advice)
        return
    near, worst = _misspelt(leaf.key, subject.catalogue_of_release), subject.worst
    of_another = Severity.WARNING if subject.guessed and worst is Severity.ERROR else worst
    if versions.is_unreleased(framework.name, leaf.key):
        # the file is of a revision between two releases, whose code takes it: a guessed release says nothing else
        advice = f"{framework.title}'s main branch had it between two releases, and no release has it"
        yield _at_key("KEY003", of_another, leaf, message, advice)
    elif near:
        worst = Severity.ERROR if worst is Severity.ERROR else Severity.WARNING
        fix = corrected(subject.document, leaf, near, subject.catalogue_of_release)
        yield _at_key("KEY001", worst, leaf, message, f"did you mean {near}?", fix)
    elif releases := _other_releases(leaf.key, subject.best.framework, subject.best.release, subject.best.trainer):
        # another release has it, so that of a guessed one it only says that the guess is not right
        yield _at_key("KEY003", of_another, leaf, message, releases)
    elif theirs := other_framework(leaf.key, subject.best.framework):
        yield _at_key("KEY002", worst, leaf, message, theirs)
    else:
        help_ = (
            f"{subject.own_config} may have it"
            if subject.own_config
            else suggest.explain(subject.catalogue_of_release, leaf.key)
        )
        declared = "" if near or subject.own_config else subject.may_be_declared
        severity = Severity.WARNING if declared and worst is Severity.ERROR else worst
        yield _at_key("KEY001", severity, leaf, message, help_ or declared)


@lru_cache(maxsize=20_000)
def _misspelt(key: str, known: Catalogue) -> str:
    near = suggest.nearest(known, key)
    close = bool(near) and suggest.distance(known.canonical(key), near[0], _REACH) <= _REACH
    return near[0] if close else ""


@lru_cache(maxsize=20_000)
def _other_releases(key: str, name: str, release: str, trainer: str) -> str:
    """Since when, or until when, the framework has the key; empty when it never had it."""
    framework = registry.framework(name)
    have = [r for r in framework.releases if trainer in framework.trainers_of(r)]
    having = [r for r in have if key in catalogue.load(name, r, trainer)]
    if not having:
        for other_trainer in framework.trainers_of(release):
            if other_trainer != trainer and key in catalogue.load(name, release, other_trainer):
                config = framework.config_names.get(other_trainer)
                return f"only the {other_trainer} trainer has it{f' (--config-name={config})' if config else ''}"
        return ""
    position = framework.releases.index
    if position(having[0]) > position(release):
        return f"{framework.title} has it since {having[0]}"
    return versions.history(name, key, trainer) or f"{framework.title} had it up to {having[-1]}"


def _report_guess(document: Document, best: Guess) -> tuple[Diagnostic, ...]:
    title = registry.framework(best.framework).title
    message = f"taken for {title} {best.release}, {best.confidence} ({best.why})"
    help_ = "name another with --from-release"
    return (Diagnostic("VER001", Severity.INFO, message, _start(document), help=help_),)


def _no_catalogue(document: Document, release: str) -> Diagnostic:
    program = document.launch.program if document.launch else ""
    message = f"{program} reads a config of its own, which has no catalogue for {release}; its keys are not checked"
    return Diagnostic("KEY010", Severity.INFO, message, _start(document))


def _not_a_config(document: Document) -> Diagnostic:
    message = own_keys.unlike([leaf.key for leaf in document.leaves])
    return Diagnostic("KEY000", Severity.ERROR, message, _start(document), help="say what it is for with --from")


def _start(document: Document) -> Place:
    return document.launch.place if document.launch else Place(document.name, Span(0, 0, 1, 1))


def _at_key(code: str, severity: Severity, leaf: Leaf, message: str, help_: str, fix: Fix | None = None) -> Diagnostic:
    return Diagnostic(code, severity, message, leaf.key_place, help=help_, fix=fix, key=leaf.key)
