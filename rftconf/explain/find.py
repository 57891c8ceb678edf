"""What a person means by a text: keys of frameworks and fields of the plan, with wildcards, indices and override marks."""

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
from rftconf.schemas.registry import Framework
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
        """Whose name it is."""
        return self.framework.title if self.framework else "the plan"


def bare(subject: str) -> str:
    """`+key=value`, `++key` and `~key` as `key`."""
    return subject.lstrip("+~").partition("=")[0].strip()


def matches(subject: str, framework: Framework | None = None, release: str | None = None) -> list[Match]:
    """Everything that `subject` may name, of `framework` and its programs alone where given; none where nothing fits.

    Fields of the plan are named with or without `plan.` and `stage.`, indices are free. A `*` stands for anything.
    """
    wanted = bare(subject)
    if "*" in wanted.replace("<*>", ""):
        return list(_by_pattern(wanted, framework, release))
    found = [] if framework else [Match(None, path) for path in _field(wanted)]
    return found + [
        Match(one, wanted) for one in _frameworks_asked(framework) if trainers_with(one, wanted, _release(one, release))
    ]


def below(node: str, framework: Framework | None = None) -> list[Match]:
    """The keys of newest releases, or else the plan fields, below a node such as `actor_rollout_ref.rollout`."""
    start = f"{bare(node)}."
    for one in _frameworks_asked(framework):
        names = [name for trainer in one.trainers for name in catalogue.load(one.name, None, trainer).keys]
        found = [Match(one, name) for name in dict.fromkeys(names) if name.startswith(start)]
        if found:
            return found
    plain = _plan_name(start)
    return [
        Match(None, path) for path in fields() if framework is None and path.removeprefix("stage.").startswith(plain)
    ]


def unknown(subject: str, framework: Framework | None = None, release: str | None = None) -> UsageError:
    """The error for a subject that names nothing, with what it was probably meant to be."""
    wanted = shorten(bare(subject), _LONGEST)  # the value of `key=value` may be a secret, and is not repeated
    elsewhere = [] if framework is None and release is None else _other_places_of_key(wanted)
    where = (
        f"{framework.title} {release or ''}".strip()
        if framework
        else f"any framework{f' {release}' if release else ''}"
    )
    if elsewhere:
        return UsageError(f"{wanted} is no key of {where}; it is one of {', '.join(dict.fromkeys(elsewhere))}")
    near = _similar_names(wanted, framework)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; rftconf explain lists the codes"
    if framework is not None or release is not None:
        return UsageError(f"{wanted} is no key of {where}{hint}")
    return UsageError(f"{wanted} is no diagnostic code, no plan field and no known key{hint}")


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
    for one in _frameworks_asked(framework):
        number = _release(one, release)
        releases = [r for r in (one.releases if number is None else (number,)) if r in one.releases]
        names = [
            name
            for r in reversed(releases)
            for trainer in one.trainers_of(r)
            for name in catalogue.load(one.name, r, trainer).keys
        ]
        yield from (Match(one, name) for name in dict.fromkeys(names) if fits(name) and not name.endswith("_target_"))


def _other_places_of_key(wanted: str) -> list[str]:
    """Frameworks and releases that have the key when the ones asked for do not."""
    found = []
    for one in registry.variants():
        having = [r for r in one.releases if trainers_with(one, wanted, r)]
        if having:
            found.append(f"{one.title} {having[0]}" + (f" to {having[-1]}" if len(having) > 1 else ""))
    return found


def _similar_names(wanted: str, framework: Framework | None) -> list[str]:
    """Up to three names, misspellings of plan fields first where that is what was asked for."""
    found: list[str] = []
    if framework is None:
        plain = _plan_name(wanted)
        names: Iterable[str] = (path.removeprefix("stage.") for path in fields())
        close = sorted((far, name) for name in names if (far := distance(plain, name, _REACH)) <= _REACH)
        found += [f"{PLAN}{name}" for _, name in close[:2]]
    for one in _frameworks_asked(framework):
        found += nearest(catalogue.load(one.name), wanted, 2)
    return list(dict.fromkeys(found))[:3]
