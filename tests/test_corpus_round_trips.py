"""Point by point: a real config is itself again after its plan, and after another framework all that both sides keep.

A sample in every run of the suite; all of the corpus with RFTCONF_CORPUS_ALL=1 (`make round-trips`). Golden inputs: all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rftconf.base.errors import RftconfError
from rftconf.load.base_files import base_files_of
from rftconf.load.load import load
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.text import toml
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source
from tests.corpus import ROWS, Real, corpora
from tests.laws.there_and_back import Leg, leg, lost_on_the_way, written
from tests.sources import CORPUS, ROOT

PER_CORPUS = 4
"""Configs of each corpus in a sample, evenly spread."""
VARIABLES = ("symbolic", "symbolic-back")
"""Golden inputs whose numbers are variables: two formulas of one value are not compared."""
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of upstream examples beside the project")


def sampled() -> Iterator[Real]:
    """Real configs: all of them when asked."""
    for reals in corpora().values():
        many = len(reals) if os.environ.get("RFTCONF_CORPUS_ALL") else min(PER_CORPUS, len(reals))
        yield from (reals[index * len(reals) // many] for index in range(many))


REAL = list(sampled())
PAIRS = [(real, to) for real in REAL for to in FRAMEWORKS if to != real.framework]


def understood(document: Document, framework: str | None, release: str | None) -> tuple[str, str]:
    """Its framework and release; skips what is no config of a run, which other tests hold to a sentence."""
    try:
        loaded = load(document, framework=framework, release=release, rows=ROWS)
    except RftconfError as error:
        pytest.skip(f"not read: {error}")
    return loaded.framework, loaded.release


def check_itself(document: Document, framework: str, release: str) -> None:
    """A -> plan -> A: the same plan, and every key that was written with the value it had."""
    again = leg(document, framework, release, framework, release)
    assert again.trip.differences() == {}
    assert unlike(written(document, framework, release), written(again.document, again.framework, again.release)) == {}


def unlike(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Keys that are gone or hold something else."""
    return {key: (value, after.get(key)) for key, value in before.items() if key not in after or after[key] != value}


def check_there_and_back(document: Document, framework: str, release: str, to: str) -> None:
    """A -> B -> A: what both ledgers say is kept is what it was."""
    new_leg = travelled(document, framework, release, to)
    assert new_leg.broken_claims() == {}
    back = travelled(new_leg.document, new_leg.framework, new_leg.release, framework, release)
    assert lost_on_the_way(new_leg, back) == {}


def travelled(document: Document, framework: str, release: str, to: str, to_release: str | None = None) -> Leg:
    """One leg; skips where the target cannot hold the run, which tests/conformance puts to the target itself."""
    try:
        return leg(document, framework, release, to, to_release)
    except RftconfError as refused:
        pytest.skip(f"refused: {refused}")


@needs_corpus
@pytest.mark.parametrize("real", REAL, ids=lambda real: f"{real.framework}-{real.release}-{real.name}")
def test_a_real_config_comes_back_as_it_was(real: Real) -> None:
    document = real.document()
    check_itself(document, *understood(document, real.framework, real.release))


@needs_corpus
@pytest.mark.parametrize(("real", "to"), PAIRS, ids=[f"{real.release}-{real.name}-{to}" for real, to in PAIRS])
def test_a_real_config_comes_back_from_elsewhere(real: Real, to: str) -> None:
    document = real.document()
    check_there_and_back(document, *understood(document, real.framework, real.release), to)


@cache
def golden_inputs() -> tuple[Path, ...]:
    """Every distinct input of the golden cases that converts without saying more about it."""
    paths: dict[str, Path] = {}
    for file in sorted((ROOT / "golden").glob("*/*/case.toml")):
        facts = toml.loads(file.read_text())
        (source,) = file.parent.glob("input.*")
        if file.parent.name in VARIABLES:
            continue
        if file.parts[-3] != "refused" and not facts.get("options"):
            paths.setdefault(source.read_text(), source)
    return tuple(paths.values())


def opened(file: Path) -> Document:
    """A golden input as the commands open it: a config that it names and that is not beside it is the framework's own."""
    return read(open_source(file), ReadOptions(ships=base_files_of))


@pytest.mark.parametrize("file", golden_inputs(), ids=lambda file: file.parent.name)
def test_a_golden_input_comes_back_as_it_was(file: Path) -> None:
    document = opened(file)
    framework, release = understood(document, None, None)
    if framework not in FRAMEWORKS:
        pytest.skip("its configs are read, and none are written")
    check_itself(document, framework, release)


@pytest.mark.parametrize("to", FRAMEWORKS)
@pytest.mark.parametrize("file", golden_inputs(), ids=lambda file: file.parent.name)
def test_a_golden_input_comes_back_from_elsewhere(file: Path, to: str) -> None:
    document = opened(file)
    framework, release = understood(document, None, None)
    if to == framework:
        pytest.skip("the same framework")
    check_there_and_back(document, framework, release, to)
