"""A key that newer releases have removed stays where the release that is written still has it."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.schemas import catalogue
from rftconf.schemas.edits import Removed
from rftconf.schemas.verl.versions import EDITS
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import VERL

OTHER = {"int": "3", "float": "0.5", "str": "word"}


def removed_after(release: str) -> dict[str, str]:
    """Keys that the next release lacks and no newer one brings back, with a value that is not their default."""
    known, newest = catalogue.load("verl", release, "fsdp"), catalogue.load("verl", None, "fsdp")
    names = {edit.old for edit in EDITS[release] if isinstance(edit, Removed) and not edit.harmless}
    keys = {name: known.get(name) for name in names if name in known and name not in newest}
    texts = {
        name: str(key.default is not True) if key.type == "bool" else OTHER.get(key.type)
        for name, key in keys.items()
        if key is not None
    }
    return {name: text for name, text in texts.items() if text is not None}


@pytest.mark.parametrize("release", [release for release in EDITS if removed_after(release)])
def test_a_removed_key_is_written_for_the_release_that_reads_it(release: str) -> None:
    for name, text in removed_after(release).items():
        keys = {**VERL, name: text}
        words = " ".join(f"'{key}={value}'" for key, value in keys.items() if value is not None)
        document = read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {words}\n"))
        done = convert(document, "verl", framework="verl", release=release, to_release=release)
        (line,) = (source for source in done.ledger.sources if source.key == name)
        assert line.state is State.EXACT
        assert name in [target.key.lstrip("+") for target in done.lines]
