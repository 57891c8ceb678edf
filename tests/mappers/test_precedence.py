"""Shapes for keys of which not all count: what sleeps, and which of two keys is heard."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import State
from rftconf.base.symbols import Var
from rftconf.mappers.context import When
from rftconf.mappers.native import Cell, Native, indexed
from rftconf.mappers.precedence import Block, FirstOf, While, since
from rftconf.mappers.reading import Reading
from rftconf.mappers.shapes import Pair, Where, together
from rftconf.text.document import Leaf
from tests.laws.round_trips import HERE
from tests.mappers.test_shapes import FIELD, KEY, NEVER, table, write

OTHER = "further"
EITHER = FirstOf(KEY, OTHER, FIELD, lambda value: value == "interrupt", "chatty wins", "chatty says nothing")


def reading(shape: Any, **keys: Any) -> Reading:
    cells = {key: Cell(value, Leaf(key, value, HERE, HERE)) for key, value in keys.items()}
    result = Reading(table(shape), Native("roll", "0.3.0", "rlvr", cells, indexed({}), named=tuple(cells)))
    result.read_all()
    return result


def test_keys_behind_a_condition_sleep_with_their_fields() -> None:
    asleep = While(NEVER, Pair(KEY, FIELD))
    assert reading(asleep, chatty="interrupt").inactive == {KEY: "never"}
    assert reading(asleep, chatty="interrupt").values == {FIELD: None}
    outcome = write(asleep, value="interrupt").outcomes[FIELD]
    assert (outcome.state, outcome.note) == (State.DEAD_IN_TARGET, "never")
    awake = While(When(lambda _: True, ""), Pair(KEY, FIELD))
    assert reading(awake, chatty="interrupt").values == {FIELD: "interrupt"}
    assert write(awake, value="interrupt").out[KEY].value == "interrupt"


def test_beside_a_first_key_that_is_not_known_the_second_may_act() -> None:
    read = reading(EITHER, **{KEY: Var("X"), OTHER: "finish"})
    assert (read.values[FIELD], read.inactive) == (Var("X"), {})
    assert list(read.narrowed) == [OTHER]


@pytest.mark.parametrize(
    ("keys", "value", "idle"),
    [
        ({KEY: "interrupt", OTHER: "finish"}, "interrupt", OTHER),
        ({KEY: "abort", OTHER: "finish"}, "finish", KEY),
        ({KEY: "finish"}, "finish", OTHER),
        ({KEY: Var("X")}, Var("X"), OTHER),
    ],
)
def test_the_first_key_that_speaks_counts(keys: dict[str, Any], value: Any, idle: str) -> None:
    result = reading(EITHER, **keys)
    assert (result.values[FIELD], list(result.inactive)) == (value, [idle])
    assert set(write(EITHER, value="interrupt").out) == {KEY}


@pytest.mark.parametrize(("switch", "idle"), [(False, ["block.size"]), (True, []), (Var("X"), [])])
def test_a_block_acts_behind_its_switch(switch: Any, idle: list[str]) -> None:
    result = reading(together(Block("block"), why="a block"), **{"block.enable": switch, "block.size": 2, "size": 2})
    assert list(result.inactive) == idle


def test_one_shape_writes_whichever_is_read() -> None:
    pair = Pair(KEY, FIELD)
    before = Pair(OTHER, FIELD, idle={KEY: "further is read"}, how="as further says")
    where = Where(since("99"), pair, before, written=pair)
    result = reading(where, chatty="interrupt", further="finish")
    assert (result.values, result.inactive) == ({FIELD: "finish"}, {KEY: "further is read"})
    assert where.natives == (KEY,)
    assert set(write(where, value="interrupt").out) == {KEY}
