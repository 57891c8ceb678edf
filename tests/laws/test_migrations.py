"""`rftconf migrate`: every key of its output that the asked release refuses is named, and nothing is said to be lost by nobody then.

A sample of the corpus and golden inputs of TRL and OpenRLHF, to every other release; RFTCONF_CORPUS_ALL=1 takes all of the corpus
and every golden input (`make migrations-named`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from rftconf.base.errors import RftconfError
from rftconf.load.load import load
from rftconf.migrate.as_text import migration_text
from rftconf.migrate.migrate import Migration, MigrationRequest, migrate
from rftconf.report.screen import Screen
from rftconf.schemas import catalogue, registry
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.corpus import Real
from tests.corpus_conversions import sample
from tests.laws.same_budget import golden_inputs

ALL = bool(os.environ.get("RFTCONF_CORPUS_ALL"))
EVERY = 1 if ALL else 80
WITHOUT_CORPUS = ("trl", "openrlhf", "nemo_rl")
"""Frameworks of which the corpus has no examples: the suite takes golden inputs."""
READ = (Verdict.TAKEN, Verdict.FREE, Verdict.DEAD)
"""A release starts with these keys."""
LEAST = {"verl": 40, "trinity": 3, "roll": 3, "chatlearn": 1, "trl": 60, "openrlhf": 30, "nemo_rl": 8}
"""Migrations that are looked at, at least."""


def golden_files(framework: str) -> Iterator[Real]:
    """Golden inputs as configs of the release that they are taken for."""
    for name, document in golden_inputs():
        try:
            loaded = load(document)
        except RftconfError:
            continue
        if loaded.framework == framework:
            suffix = document.name[document.name.rindex(".") :]
            yield Real(name, framework, loaded.release, suffix, document.text)


def files_of(framework: str) -> Iterator[Real]:
    """Configs of one framework."""
    yield from (real for real in sample(EVERY) if real.framework == framework)
    if ALL or framework in WITHOUT_CORPUS:
        yield from golden_files(framework)


def migrations(real: Real) -> Iterator[tuple[Migration, Document]]:
    """Migrate a config to every other release and read the output again; a pair that is refused is left out."""

    def again(changed: str, launch: int | None) -> Document:
        return read(Source(f"source{real.suffix}", changed), ReadOptions(launch=launch, sources=dict(real.beside)))

    for to in registry.framework(real.framework).releases:
        if to != real.release:
            try:
                done = migrate(real.text, again, MigrationRequest(to, real.framework, real.release))
            except RftconfError:
                continue
            yield done, again(done.text, None)


def refused_keys(done: Migration, output: Document) -> set[str]:
    """Keys of the output with which the asked release does not start."""
    release_keys = catalogue.load(done.found.framework, done.to, done.found.trainer)
    overrides = output.form != "yaml"
    return {
        leaf.key
        for leaf in output.leaves
        if judge(release_keys, leaf.mode.value + leaf.key, leaf.value, overrides=overrides) not in READ
    }


@pytest.mark.parametrize("framework", registry.FRAMEWORKS)
def test_what_the_asked_release_refuses_is_named_and_no_sentence_denies_it(framework: str) -> None:
    problems: list[str] = []
    count = 0
    for real in files_of(framework):
        for done, output in migrations(real):
            count += 1
            odd_keys = refused_keys(done, output)
            reported = {(edit.key or edit.was).lstrip("+~") for edit in done.edits if edit.refused or edit.lossy}
            name = f"{real.name}, {real.release} to {done.to}"
            problems += [f"{name}: {key} is refused, and nobody says so" for key in sorted(odd_keys - reported)]
            if odd_keys and "nothing lost" in migration_text(done, Screen(200, colour=False)).partition("\n")[0]:
                problems.append(f"{name}: nothing lost, and {', '.join(sorted(odd_keys))} refused")
    assert problems == []
    assert count >= LEAST[framework]
