"""What is known about one key: in which releases it is, its type and default, and what others call it."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.errors import UsageError
from rftconf.report.values import shown
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.registry import Framework


def key_page(key: str) -> str:
    """The page of a key of any framework. Raises UsageError, with the nearest keys, when no framework has it."""
    bare = key.lstrip("+~").partition("=")[0]
    pages = [
        "\n".join(_page(framework, trainer, bare))
        for framework in registry.variants()
        for trainer in _trainers(framework, bare)
    ]
    if pages:
        return "\n\n".join(pages) + "\n"
    below = _below(bare)
    if below:
        return "".join(f"{name}\n" for name in below)
    raise UsageError(f"{key} is no diagnostic code and no known key{_near(bare)}")


def _trainers(framework: Framework, key: str) -> list[str]:
    """The trainers with the key; the default one alone when it has it."""
    found = [trainer for trainer in framework.trainers if _releases(framework, trainer, key)]
    return found[:1]


def _releases(framework: Framework, trainer: str, key: str) -> list[str]:
    return [
        r
        for r in framework.releases
        if trainer in framework.trainers_of(r) and key in catalogue.load(framework.name, r, trainer)
    ]


def _page(framework: Framework, trainer: str, key: str) -> Iterator[str]:
    having = _releases(framework, trainer, key)
    newest = having[-1]
    found = catalogue.load(framework.name, newest, trainer).get(key)
    assert found is not None
    only = f" ({trainer} trainer)" if trainer != framework.trainer else ""
    yield f"{key}: a key of {framework.title}{only}"
    yield f"  releases  {', '.join(having)}"
    yield f"  type      {found.type}{' or null' if found.optional and found.type != 'any' else ''}"
    if found.choices:
        yield f"  choices   {', '.join(map(str, found.choices))}"
    yield f"  default   {'must be given' if found.mandatory else shown(found.default)}"
    if found.plus_only:
        yield f"  note      not in the config as shipped: write +{key}=…"
    why = versions.dead(framework.name, newest, key)
    if why:
        yield f"  note      no effect in {newest}: {why}"
    past = versions.history(framework.name, key, trainer)
    if past:
        yield f"  history   {past}"
    yield from _elsewhere(framework, key)


def _elsewhere(framework: Framework, key: str) -> Iterator[str]:
    from rftconf.lint.counterparts import counterparts

    for other in registry.variants():
        there = None if other is framework else counterparts(framework.name, other.name).get(key)
        if there:
            yield f"  {other.title} calls it {there}"


def _below(node: str) -> list[str]:
    """The keys of the newest release below a node such as `actor_rollout_ref.rollout`."""
    for framework in registry.variants():
        names = [name for name in catalogue.load(framework.name).keys if name.startswith(f"{node}.")]
        if names:
            return names
    return []


def _near(key: str) -> str:
    from rftconf.schemas.suggest import nearest

    found: list[str] = []
    for framework in registry.variants():
        found += nearest(catalogue.load(framework.name), key, 2)
    found = list(dict.fromkeys(found))
    return f"; did you mean {' or '.join(found[:3])}?" if found else "; rftconf explain lists the codes"
