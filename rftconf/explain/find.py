"""The search for keys of frameworks and fields of the plan by a text with wildcards, indices and override marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import translate

from rftconf.base.errors import UsageError
from rftconf.explain.key import trainers_with, whole
from rftconf.plan.index import fields
from rftconf.report.screen import shorten
from rftconf.schemas import catalogue, registry
from rftconf.schemas.framework import Framework
from rftconf.schemas.suggest import distance, nearest

PLAN = "plan."
_REACH, _LONGEST = 2, 200


@dataclass(frozen=True, slots=True)
class Match:
    """A key of `framework`, or a plan field (whole) where that is None."""

    framework: Framework | None
    name: str

    @property
    def title(self) -> str:
        """Return the owner of the name: the framework's title, or `the plan`."""
        return self.framework.title if self.framework else "the plan"


def bare(subject: str) -> str:
    """`+key=value`, `++key` and `~key` as `key`."""
    return subject.lstrip("+~").partition("=")[0].strip()


def matches(subject: str, framework: Framework | None = None, release: str | None = None) -> list[Match]:
    """Return all that `subject` may name, of `framework` and its programs alone where given; none where nothing fits.

    Fields of the plan are named with or without `plan.` and `stage.`, indices are free. A `*` stands for anything.
    """
    name = bare(subject)
    if "*" in name.replace("<*>", ""):
        return list(_by_pattern(name, framework, release))
    matches = [] if framework else [Match(None, path) for path in _field(name)]
    return matches + [
        Match(framework, name)
        for framework in _frameworks_asked(framework)
        if trainers_with(framework, name, _release(framework, release))
    ]


def below(node: str, framework: Framework | None = None) -> list[Match]:
    """The keys of newest releases, or else the plan fields, below a node such as `actor_rollout_ref.rollout`."""
    start = f"{bare(node)}."
    for framework_name in _frameworks_asked(framework):
        names = [
            name
            for trainer in framework_name.trainers
            for name in catalogue.load(framework_name.name, None, trainer).keys
        ]
        matches = [Match(framework_name, name) for name in dict.fromkeys(names) if name.startswith(start)]
        if matches:
            return matches
    plain = _plan_name(start)
    return [
        Match(None, path) for path in fields() if framework is None and path.removeprefix("stage.").startswith(plain)
    ]


def unknown(subject: str, framework: Framework | None = None, release: str | None = None) -> UsageError:
    """The error for a subject that names nothing, with what it was probably meant to be."""
    name = shorten(bare(subject), _LONGEST)  # the value of `key=value` may be a secret, and is not repeated
    places = [] if framework is None and release is None else _other_places_of_key(name)
    where = (
        f"{framework.title} {release or ''}".strip()
        if framework
        else f"any framework{f' {release}' if release else ''}"
    )
    if places:
        return UsageError(f"{name} is no key of {where}; it is one of {', '.join(dict.fromkeys(places))}")
    near = _similar_names(name, framework)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; rftconf explain lists the codes"
    if framework is not None or release is not None:
        return UsageError(f"{name} is no key of {where}{hint}")
    return UsageError(f"{name} is no diagnostic code, no plan field and no known key{hint}")


def _frameworks_asked(framework: Framework | None) -> tuple[Framework, ...]:
    if framework is not None and framework.of:
        return (framework,)
    return registry.variants(framework.name if framework else None)


def _release(known: Framework, release: str | None) -> str | None:
    """The catalogued release; one that this framework does not have matches nothing."""
    if release is None:
        return None
    return registry.release(known, release) if registry.has(known, release) else "none"


def _plan_name(text: str) -> str:
    """A plan field as people write it, without `plan.`, `stages[0].`, `stage.` and without indices."""
    plain = re.sub(r"\[\d*\]", "[]", text.removeprefix(PLAN))
    return plain.removeprefix("stages[].").removeprefix("stages.").removeprefix("stage.")


def _field(text: str) -> Iterator[str]:
    path = whole(_plan_name(text))
    if path in fields():
        yield path


def _by_pattern(pattern: str, framework: Framework | None, release: str | None) -> Iterator[Match]:
    fits = re.compile(translate(re.sub(r"\[\d*\]", "[]", pattern).replace("[]", "[[]]"))).match
    if framework is None:
        of_plan = re.compile(translate(_plan_name(pattern).replace("[]", "[[]]"))).match
        yield from (Match(None, path) for path in fields() if of_plan(path.removeprefix("stage.")))
    for framework_name in _frameworks_asked(framework):
        number = _release(framework_name, release)
        releases = [
            r for r in (framework_name.releases if number is None else (number,)) if r in framework_name.releases
        ]
        names = [
            name
            for r in reversed(releases)
            for trainer in framework_name.trainers_of(r)
            for name in catalogue.load(framework_name.name, r, trainer).keys
        ]
        yield from (
            Match(framework_name, name) for name in dict.fromkeys(names) if fits(name) and not name.endswith("_target_")
        )


def _other_places_of_key(name: str) -> list[str]:
    """Frameworks and releases that have the key when the ones asked for do not."""
    places = []
    for framework in registry.variants():
        having = [r for r in framework.releases if trainers_with(framework, name, r)]
        if having:
            places.append(f"{framework.title} {having[0]}" + (f" to {having[-1]}" if len(having) > 1 else ""))
    return places


def _similar_names(subject: str, framework: Framework | None) -> list[str]:
    """Return up to three names, misspellings of plan fields first where that is what was asked for."""
    similar: list[str] = []
    if framework is None:
        plain = _plan_name(subject)
        names: Iterable[str] = (path.removeprefix("stage.") for path in fields())
        close = sorted((far, name) for name in names if (far := distance(plain, name, _REACH)) <= _REACH)
        similar += [f"{PLAN}{name}" for _, name in close[:2]]
    for framework_name in _frameworks_asked(framework):
        similar += nearest(catalogue.load(framework_name.name), subject, 2)
    return list(dict.fromkeys(similar))[:3]
