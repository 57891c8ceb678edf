"""Counts that are a product of several keys: an update by rank and pass, read as one number and split again."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Var
from rftconf.mappers.products import UpdateInParts

GPUS = "stage.placement.actor.gpus"
PARTS = UpdateInParts("size", "passes", lambda c: c.plan(GPUS), ("world",), "size x ranks x passes")


class Side:
    """Stands for a reading or a writing: fields, keys, and what was set or put."""

    def __init__(self, values: dict[str, Any], keys: dict[str, Any] | None = None) -> None:
        self.values, self.keys, self.states = values, keys or {}, dict[str, State]()

    def plan(self, path: str) -> Any:
        return self.values.get(path)

    def native(self, key: str) -> Any:
        return self.keys[key]

    def set(self, path: str, value: Any, *keys: str, how: str = "") -> None:
        self.values[path] = value

    def put(self, key: str, value: Any, *plans: str, state: State = State.EXACT, **more: Any) -> None:
        self.keys[key], self.states[key] = value, state


def side(values: dict[str, Any], keys: dict[str, Any] | None = None) -> Any:
    return Side(values, keys)


def split(update: Any, ranks: Any, micro: Any, shape: UpdateInParts = PARTS) -> Any:
    writing = side({PARTS.path: update, GPUS: ranks, PARTS.micro: micro})
    shape.write(writing)
    return writing


@pytest.mark.parametrize(
    ("update", "ranks", "micro", "size", "passes", "state"),
    [
        (64, 4, 8, 8, 2, State.EXACT),
        (64, 4, 16, 16, 1, State.EXACT),
        (64, 4, 6, 4, 4, State.ROUNDED),
        (64, 4, 32, 16, 1, State.ROUNDED),
        (60, 4, 4, 3, 5, State.ROUNDED),
        (64, 4, None, 1, 16, State.EXACT),
    ],
)
def test_an_update_is_split_into_whole_passes(
    update: int, ranks: int, micro: int | None, size: int, passes: int, state: State
) -> None:
    """A rank has update / ranks sequences; a pass is the largest part of them up to the micro-batch."""
    writing = split(update, ranks, micro)
    assert (writing.keys["size"], writing.keys["passes"], writing.states["size"]) == (size, passes, state)
    assert size * ranks * passes == update


def test_what_is_written_is_read_as_the_same_update() -> None:
    writing = split(96, 8, 3)
    reading = side({GPUS: 8}, writing.keys)
    PARTS.read(reading)
    assert (reading.values[PARTS.path], reading.values[PARTS.micro]) == (96, 3)


def test_a_wish_stands_in_for_a_micro_batch_that_the_plan_has_not() -> None:
    wishing = UpdateInParts("size", "passes", lambda c: c.plan(GPUS), ("world",), "", lambda _: 5)
    assert split(64, 4, None, wishing).keys == {"size": 4, "passes": 4}


def test_ranks_that_nobody_tells_stay_in_the_formula() -> None:
    writing = split(64, Var("N"), 4)
    assert writing.keys["size"] == 4
    reading = side({GPUS: Var("N")}, writing.keys)
    PARTS.read(reading)
    assert reading.values[PARTS.path] == 64


def test_ranks_without_equal_shares_are_refused_with_numbers_that_would_do() -> None:
    with pytest.raises(RefusedError, match=r"64 sequences, and 6 ranks") as refused:
        split(64, 6, 4)
    assert refused.value.choices[:2] == ("60 sequences an update", "66 sequences an update")
