"""Real configs: a migration touches only what it says, a second one nothing, and down and up again is where it began.

A sample in every run of the suite; all of the corpus with RFTCONF_CORPUS_ALL=1.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator

import pytest

from rftconf.base.errors import RftconfError
from rftconf.diff.compare import Verdict, compare
from rftconf.diff.sides import side
from rftconf.load.load import load
from rftconf.migrate.migrate import Migration
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.corpus import Real, corpora
from tests.migrate.texts import migrated

PER_CORPUS = 1
OLDER = {"trinity": "0.3.3", "roll": "0.1.1", "chatlearn": "1.2.0"}


def sampled() -> Iterator[tuple[Real, str]]:
    """Real configs, each with the release to go to: the newest, or an old one for those of the newest."""
    for reals in corpora().values():
        many = len(reals) if os.environ.get("RFTCONF_CORPUS_ALL") else min(PER_CORPUS, len(reals))
        for real in (reals[index * len(reals) // many] for index in range(many)):
            newest = registry.framework(real.framework).newest
            if not real.beside:  # what a defaults list names is a file of its own
                yield real, newest if real.release != newest else OLDER[real.framework]


REAL = list(sampled())


def moved(real: Real, to: str) -> Migration:
    """The config for another release; skips what is refused, which is said by name."""
    try:
        return migrated(real.text, real.release, to, f"source{real.suffix}", real.framework)
    except RftconfError as refused:
        pytest.skip(f"refused: {refused}")


@pytest.mark.parametrize(("real", "to"), REAL, ids=lambda value: getattr(value, "name", value))
def test_real_configs(real: Real, to: str) -> None:
    done = moved(real, to)
    # surgical: lines that no edit and no pin speaks of stay
    before, after = real.text.splitlines(), done.text.splitlines()
    changed = sum(
        (a2 - a1) + (b2 - b1)
        for op, a1, a2, b1, b2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if op != "equal"
    )
    most = sum(2 + 4 * len(edit.beside) + 4 for edit in done.edits if edit.changes_text) + 4 * len(done.pins)
    assert changed <= most
    comments = [line.strip() for line in before if line.strip().startswith("#")]
    assert [line.strip() for line in after if line.strip().startswith("#")] == comments
    # a second one changes nothing
    assert migrated(done.text, to, to, f"source{real.suffix}", real.framework).text == done.text
    # back again
    back = migrated(done.text, to, real.release, f"source{real.suffix}", real.framework)
    if done.faithful and back.faithful:
        sides = [
            side("x", load(read(Source(f"source{real.suffix}", text)), framework=real.framework, release=real.release))
            for text in (real.text, back.text)
        ]
        assert compare(*sides).verdict() is not Verdict.DIFFERENT
