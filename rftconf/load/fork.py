"""Whose code reads a config: the framework's own, or that of a fork, which may read what the framework does not."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rftconf.dialects.declaration import Dialect, load
from rftconf.schemas import catalogue, registry, versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rftconf.dialects.translation import Translation
    from rftconf.schemas.guess import Guess
    from rftconf.text.document import Document, Leaf


def dialect_of(best: Guess) -> Dialect | None:
    """The declaration of the fork whose config it is, where there is one."""
    return load(best.dialect) if best.dialect else None


def counts_of(best: Guess) -> Mapping[str, str]:
    """Return the units in which a declared fork counts what forks count differently."""
    declared = dialect_of(best)
    return {} if declared is None else declared.counts


def translation_of(best: Guess, leaves: Mapping[str, Leaf]) -> Translation | None:
    """Translate the leaves of a declared fork's config into its framework's keys; None where it is no such fork's."""
    declared = dialect_of(best)
    if declared is None:
        return None
    from rftconf.dialects.translation import translate

    return translate(declared, leaves)


def reader_of(document: Document, best: Guess) -> str:
    """The fork whose code reads a document, in words; empty where it is the framework's own code.

    A program that is not the framework's shows one, and so does a key that no release has and Hydra would refuse.
    """
    declared = dialect_of(best)
    if declared is not None:
        return declared.title
    program = document.launch.program if document.launch else ""
    if not registry.starts_itself(registry.framework(best.framework), program):
        return program
    if registry.starts_recipe(registry.framework(best.framework), program):
        return ""  # its config has more keys than the release's
    refused = next((key for key in best.unknown if not key.startswith("+") and _is_nobodys(best, key)), "")
    return f"the code that has {refused}" if refused else ""


def _is_nobodys(best: Guess, key: str) -> bool:
    """True where Hydra would refuse the key in every release, so that the config is not the framework's.

    Keys of the framework's own recipes are known without being in a release's config.
    """
    from rftconf.mappers.tables import reason_for, table_of

    if reason_for(table_of(best.framework), key, best.release) is not None or versions.is_unreleased(
        best.framework, key
    ):
        return False
    known = registry.framework(best.framework)
    return known.adds_with_plus and not any(
        _has(best.framework, release, trainer, key)
        for release in known.releases
        for trainer in known.trainers_of(release)
        if trainer == best.trainer
    )


def is_nobodys(framework: str, key: str) -> bool:
    """True for a key that no release of the framework has, in the config of whichever trainer."""
    known = registry.framework(framework)
    return not any(
        _has(framework, release, trainer, key) for release in known.releases for trainer in known.trainers_of(release)
    )


@lru_cache(maxsize=20_000)
def _has(framework: str, release: str, trainer: str, key: str) -> bool:
    known = catalogue.load(framework, release, trainer)
    return known.get(key) is not None or known.is_node(key)
