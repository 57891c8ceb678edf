"""The kept matrix of deaths is whole: every process in every phase, with its time."""

from __future__ import annotations

import json
from itertools import product

from tests.sources import ROOT

KILLED, PHASES = ("engine", "trainer", "reward", "driver"), ("generate", "reward", "update", "sync", "save")


def test_every_cell_was_run() -> None:
    files = sorted((ROOT / "benches" / "results").glob("runner-faults-*.jsonl"))
    cells = [json.loads(line) for line in files[-1].read_text().splitlines()]
    assert sorted((one["killed"], one["phase"]) for one in cells) == sorted(product(KILLED, PHASES))
    assert all(0 < one["seconds"] < 600 and one["load"] >= 0 for one in cells)
