"""Every key that the asked release refuses is named: a sample of the corpus, down and up (all with RFTCONF_CORPUS_ALL=1)."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from rftconf.base.errors import RftconfError
from rftconf.schemas import catalogue, registry
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.corpus import Real, corpora
from tests.migrate.texts import migrated

PER_CORPUS = 2


def sampled() -> Iterator[tuple[Real, str]]:
    """Real configs, each with every release that is not its own."""
    for reals in corpora().values():
        many = len(reals) if os.environ.get("RFTCONF_CORPUS_ALL") else min(PER_CORPUS, len(reals))
        for real in (reals[index * len(reals) // many] for index in range(many)):
            releases = registry.framework(real.framework).releases
            yield from ((real, to) for to in releases if to != real.release and not real.beside)


@pytest.mark.parametrize(("real", "to"), [*sampled()], ids=lambda value: getattr(value, "name", value))
def test_what_the_asked_release_refuses_is_named(real: Real, to: str) -> None:
    try:
        done = migrated(real.text, real.release, to, f"source{real.suffix}", real.framework)
    except RftconfError as error:
        pytest.skip(f"refused: {error}")
    known = catalogue.load(real.framework, to, done.found.trainer)
    shell = real.suffix == ".sh"
    refused = {
        leaf.key
        for leaf in read(Source(f"source{real.suffix}", done.text)).leaves
        if judge(known, leaf.mode.value + leaf.key, leaf.value, overrides=shell) is Verdict.UNKNOWN
    }
    named = {(edit.key or edit.was).lstrip("+~") for edit in done.edits if edit.refused or edit.lossy}
    assert refused <= named
