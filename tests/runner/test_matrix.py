"""The kept matrix of deaths is whole: every process in every phase, with its time."""

from __future__ import annotations

import json
from itertools import product

from tests.sources import ROOT

KILLED, PHASES = ("engine", "trainer", "reward", "driver"), ("generate", "reward", "update", "sync", "save")


def test_every_cell_was_run() -> None:
    files = sorted((ROOT / "benches" / "results").glob("runner-faults-*.jsonl"))
    cells = [json.loads(line) for line in files[-1].read_text().splitlines()]
    assert sorted((cell["killed"], cell["phase"]) for cell in cells) == sorted(product(KILLED, PHASES))
    assert all(0 < cell["seconds"] < 600 and cell["load"] >= 0 for cell in cells)
