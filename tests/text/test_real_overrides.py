"""Every override of the collected launch scripts, against Hydra's own parser."""

from __future__ import annotations

import json

import pytest

from rftconf.text.placeholders import find_placeholder
from tests.sources import SHARED
from tests.text.test_hydra_grammar import BROKEN, SWEEP, ours, theirs

CORPUS = SHARED / "corpus" / "verl_argv"


def overrides() -> list[str]:
    values: dict[str, None] = {}
    for file in sorted(CORPUS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            values |= dict.fromkeys(json.loads(line)["overrides"])
    return [override for override in values if not override.startswith("-")]


@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the collected launch scripts are not here (../shared/corpus/verl_argv)"
)
def test_all_of_them() -> None:
    wrong = []
    for override in overrides():
        if find_placeholder(override) is not None:
            continue  # Hydra refuses `<name>`, and rftconf reads it as a value to fill in
        mine, hydras = ours(override), theirs(override)
        if repr(mine) != repr(hydras) and not (SWEEP in (mine, hydras) and {mine, hydras} <= {SWEEP, BROKEN}):
            wrong.append((override, mine, hydras))
    assert not wrong
    assert len(overrides()) > 1000
