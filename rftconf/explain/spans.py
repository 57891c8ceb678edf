"""A key through the releases: where its name, type or default changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rftconf.base.symbols import Value
from rftconf.schemas import catalogue, versions
from rftconf.schemas.framework import Framework


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring releases that say the same of a key. `interpolation` is how a default is written that follows others."""

    releases: tuple[str, ...]
    name: str
    type: str
    default: Value
    interpolation: str
    choices: tuple[Value, ...]
    mandatory: bool
    dead: str
    became: tuple[str, ...]
    """What the newest release calls what these releases call `name`, where that is something else."""


@dataclass(frozen=True, slots=True)
class _Cell:
    value: Value


def existing(known: Framework, trainer: str, key: str, release: str | None = None) -> list[str]:
    """The releases (or the one asked for, if it does) whose catalogue has `key`, oldest first."""
    return [
        r
        for r in ((release,) if release else known.releases)
        if r in known.releases and trainer in known.trainers_of(r) and key in catalogue.load(known.name, r, trainer)
    ]


def spans_of(known: Framework, trainer: str, key: str, release: str | None = None) -> tuple[Span, ...]:
    """The key's history, oldest release first, under the name that each release has for it."""
    spans: list[Span] = []
    for span in _each(known, trainer, key, release):
        if spans and replace(spans[-1], releases=()) == replace(span, releases=()):
            spans[-1] = replace(span, releases=(*spans[-1].releases, *span.releases))
        else:
            spans.append(span)
    return tuple(spans)


def _each(known: Framework, trainer: str, key: str, release: str | None) -> Iterator[Span]:
    """One span a release. In a release without the key, its own name for the same thing, where edits lead to one."""
    have = [r for r in known.releases if trainer in known.trainers_of(r)]
    newest = existing(known, trainer, key)[-1]
    for number in have if release is None else (release,):
        names = (
            [key]
            if key in catalogue.load(known.name, number, trainer)
            else _older_names(known, trainer, key, number, newest)
        )
        for name in names:
            yield _span(known, trainer, name, number)


def _older_names(known: Framework, trainer: str, key: str, release: str, newest: str) -> list[str]:
    if newest != known.newest or known.releases.index(release) > known.releases.index(newest):
        return []
    cells = {key.replace("[]", "[0]"): _Cell("x")}
    done = versions.downgrade(known.name, cells, release, trainer=trainer).flat
    names = [name.replace("[0]", "[]") for name in done]
    return [name for name in names if catalogue.load(known.name, release, trainer).get(name) is not None]


def _span(known: Framework, trainer: str, name: str, release: str) -> Span:
    key = catalogue.load(known.name, release, trainer).get(name)
    assert key is not None
    kind = f"{key.type}{' or null' if key.optional and key.type != 'any' else ''}"
    why = versions.dead(known.name, release, name) or ""
    named = tuple(place for place in in_newest(known, name, release, trainer) if place != name)
    return Span((release,), name, kind, key.default, key.interpolation or "", key.choices, key.mandatory, why, named)


def in_newest(known: Framework, name: str, release: str, trainer: str) -> list[str]:
    """Return a key's names in the newest release: several where it was split since `release`, none where it is gone."""
    done = versions.upgrade(known.name, {name.replace("[]", "[0]"): _Cell("x")}, release, trainer=trainer)
    return [name_there.replace("[0]", "[]") for name_there in done.flat]
