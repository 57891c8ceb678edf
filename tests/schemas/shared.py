"""What several test modules of this folder need."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rftconf.base.symbols import Value
from rftconf.schemas.registry import variants
from tests.sources import CORPUS as CORPUS
from tests.sources import SHARED

FACTS = SHARED / "facts"
needs_facts = pytest.mark.skipif(not FACTS.exists(), reason="../shared/facts is not here")
needs_corpus = pytest.mark.skipif(not CORPUS.exists(), reason="../shared/corpus is not here")

ALL = [
    (framework.name, release, trainer)
    for framework in variants()
    for release in framework.releases
    for trainer in framework.trainers_of(release)
]
STEPS = [
    (framework.name, older, newer, trainer)
    for framework in variants()
    for older, newer in zip(framework.releases, framework.releases[1:], strict=False)
    for trainer in framework.trainers_of(older)
]


def catalogue_id(value: object) -> str:
    return str(value)


@dataclass(frozen=True)
class Cell:
    """A value and where it came from, as the edits see it."""

    value: Value
    origin: str = ""


def concrete(name: str) -> str:
    """A key as a file has it: the first item of every list, the entry `x` of every named mapping."""
    return name.replace("[]", "[0]").replace("<*>", ".x")
