"""A ledger that is right, and each way of being wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rftconf_runner.ledger import Ledger, faults


def line(period: int, updates: list[list[int]], refused: list[int], waiting: list[int]) -> dict[str, Any]:
    return {"period": period, "updates": updates, "refused": refused, "waiting": waiting}


RIGHT = [line(1, [[0, 1], [4, 5]], [2, 3], [6, 7]), line(2, [[6], [7]], [], [8])]


def test_every_sequence_once() -> None:
    assert faults(RIGHT) == []
    assert faults([]) == []
    twice = [{**entry, "updates": entry["updates"] * 2} for entry in RIGHT]
    assert faults(twice, passes=2) == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([RIGHT[0], line(2, [[6], [6]], [7], [8])], "sequence 6 was learned from 2 times in 1 passes"),
        ([RIGHT[0], line(2, [[7]], [], [8])], "sequence 6 is lost"),
        ([RIGHT[0], line(2, [[6]], [6, 7], [8])], "sequence 6 is in the ledger twice"),
        ([RIGHT[0], RIGHT[0]], "line 2 is of period 1"),
    ],
)
def test_what_is_wrong_is_named(wrong: list[dict[str, Any]], message: str) -> None:
    assert message in faults(wrong)


def test_a_run_that_goes_on_keeps_what_is_done(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in RIGHT))
    Ledger(tmp_path, 1)
    assert [json.loads(new_line) for new_line in (tmp_path / "ledger.jsonl").read_text().splitlines()] == RIGHT[:1]
