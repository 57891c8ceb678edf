"""A staged config converted within its framework keeps every stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.plan.identity import math_id
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes, open_source

STAGED = Path(__file__).parents[2] / "golden/convert/sft-then-rl/input.yaml"
COMMON = b"algorithm: {algorithm_type: grpo, repeat_times: 8}\n"


def test_every_stage_is_kept() -> None:
    done = convert(read(open_source(STAGED)), "trinity")
    again = convert(read(from_bytes("again.yaml", done.text.encode())), "trinity")
    assert [stage.name for stage in again.plan.stages] == ["warmup", "rl"]
    assert math_id(again.plan) == math_id(done.plan)
    assert done.text.count("- stage_name") == 2
    written = {line.key for line in done.lines}
    assert {"stages[0].algorithm.algorithm_type", "stages[1].algorithm.algorithm_type", "model.model_path"} <= written
    assert "algorithm.algorithm_type" not in written


@pytest.mark.parametrize("to", ["trinity", "verl"])
def test_every_leaf_has_one_state(to: str) -> None:
    document = read(from_bytes("staged.yaml", COMMON + STAGED.read_bytes()))
    lines = {line.key: line for line in convert(document, to).ledger.sources}
    assert set(lines) == {leaf.key for leaf in document.leaves}
    assert lines["algorithm.repeat_times"].state is State.DEAD_IN_SOURCE
    assert lines["stages[0].stage_name"].state is (State.EXACT if to == "trinity" else State.NO_COUNTERPART)
