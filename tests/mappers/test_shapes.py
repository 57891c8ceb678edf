"""Shapes of folds: one statement, read and written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Var
from rftconf.mappers.context import When
from rftconf.mappers.filters import first_filter
from rftconf.mappers.native import Cell, Native, indexed
from rftconf.mappers.products import AllGpus
from rftconf.mappers.reading import Reading
from rftconf.mappers.rows import Fold, Table
from rftconf.mappers.shapes import (
    Behaves,
    OneField,
    Pair,
    Shape,
    Where,
    only_written,
    together,
)
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing

KEY, FIELD = "chatty", "stage.sync.in_flight"
NEVER = When(lambda _: False, "never")


def table(shape: Shape) -> Table:
    fold = shape if isinstance(shape, Fold) else together(shape, why="the shape alone")
    return replace(table_of("roll"), rows=(fold,), owners={}, cannot=(), completes=None)


def read(shape: Shape, **keys: Any) -> dict[str, Any]:
    cells = {key: Cell(value) for key, value in keys.items()}
    reading = Reading(table(shape), Native("roll", "0.3.0", "rlvr", cells, indexed({})))
    reading.read_all()
    return reading.values


def write(shape: Shape, **more: Any) -> Writing:
    writing = Writing(table(shape), "roll", "0.3.0", "rlvr", {FIELD: more["value"]} if more else {}, {})
    writing.write_all()
    return writing


def test_a_pair_has_one_value() -> None:
    pair = Pair(KEY, FIELD, default="finish")
    assert read(pair, chatty="interrupt") == {FIELD: "interrupt"}
    assert read(pair) == {FIELD: "finish"}
    assert write(pair, value="interrupt").out[KEY].value == "interrupt"
    assert KEY not in write(pair).out


@pytest.mark.parametrize(("word", "state"), [("finish", State.DEFAULT), ("interrupt", State.NARROWED)])
def test_what_the_code_decides_is_the_same_or_said(word: str, state: State) -> None:
    behaves = Behaves(FIELD, "finish", "answers are finished first", "it waits for every answer")
    assert read(behaves) == {FIELD: "finish"}
    writing = write(behaves, value=word)
    note = "answers are finished first" if state is State.DEFAULT else "it waits for every answer"
    assert (writing.outcomes[FIELD].state, writing.outcomes[FIELD].note, writing.out) == (state, note, {})


@record
class Several(OneField):
    """Keys in several attributes, of which one may be empty."""

    KEYS: ClassVar[tuple[str, ...]] = ("first", "more", "switch")
    FIELDS: ClassVar[tuple[str, ...]] = ("path", "other")
    first: str
    more: tuple[str, ...]
    other: str
    path: str = FIELD
    switch: str = ""


def test_a_shape_lists_what_its_attributes_hold() -> None:
    several = Several(KEY, ("second", "third"), "stage.sync.driver")
    assert several.natives == (KEY, "second", "third")
    assert several.plans == (FIELD, "stage.sync.driver")


def test_one_of_two_shapes_has_its_turn() -> None:
    where = Where(NEVER, Pair(KEY, FIELD), Behaves(FIELD, "finish", "always so"))
    assert (where.natives, where.plans) == ((KEY,), (FIELD,))
    assert read(where, chatty="interrupt") == {FIELD: "finish"}
    assert write(where, value="finish").out == {}


def test_shapes_together_are_one_fold() -> None:
    fold = together(
        Pair(KEY, FIELD), Behaves("stage.sync.driver", "lockstep", "one loop"), why="both", natives=("other",)
    )
    assert (fold.natives, fold.plans) == ((KEY, "other"), (FIELD, "stage.sync.driver"))
    assert read(fold, chatty="finish") == {FIELD: "finish", "stage.sync.driver": "lockstep"}
    assert read(together(fold, why="asleep", when=NEVER)) == {}


def test_a_pair_has_a_word_for_none() -> None:
    pair = Pair(KEY, FIELD, default="off", off="off")
    assert read(pair) == {FIELD: None}
    assert read(pair, chatty="interrupt") == {FIELD: "interrupt"}


def test_keys_are_idle_where_the_code_decides() -> None:
    reading = Reading(
        table(Behaves(FIELD, "finish", "answers are finished first", idle=(KEY,))),
        Native("roll", "0.3.0", "rlvr", {KEY: Cell("interrupt")}, indexed({})),
    )
    reading.read_all()
    assert reading.inactive == {KEY: "answers are finished first"}


@pytest.mark.parametrize(("gpus", "state"), [(16, State.DERIVED), (8, State.NARROWED), (Var("N"), State.DERIVED)])
def test_every_gpu_trains(gpus: Any, state: State) -> None:
    every = AllGpus(("nodes", "each"), "nodes x GPUs")
    values = {**dict(zip(every.sizes, (2, 8), strict=True)), every.path: gpus}
    writing = Writing(table(every), "roll", "0.3.0", "rlvr", values, {})
    writing.write_all()
    assert (writing.outcomes[every.path].state, writing.out) == (state, {})


@pytest.mark.parametrize("gpus", [16, 8])
def test_one_sentence_may_stand_for_fewer_and_all_gpus(gpus: int) -> None:
    every = AllGpus(("nodes", "each"), "nodes x GPUs", "stage.placement.rollout.gpus", told=True, here="all of them")
    writing = Writing(
        table(every), "roll", "0.3.0", "rlvr", {**dict(zip(every.sizes, (2, 8), strict=True)), every.path: gpus}, {}
    )
    writing.write_all()
    assert writing.outcomes[every.path].note == "all of them"


def test_a_framework_with_one_filter_loses_the_others() -> None:
    block = "stage.algorithm.filters"
    values = {f"{block}[{index}].kind": kind for index, kind in enumerate(("zero_std", "length"))}
    writing = Writing(table(Pair(KEY, FIELD)), "roll", "0.3.0", "rlvr", values, {})
    assert first_filter(writing, lambda prefix: values[prefix + "kind"] == "zero_std", "one filter") == f"{block}[0]."
    assert {path: outcome.note for path, outcome in writing.outcomes.items()} == {f"{block}[1].kind": "one filter"}
    assert first_filter(writing, lambda _: False, "none") is None


def test_what_is_only_written_reads_nothing() -> None:
    assert read(only_written(lambda w: w.put(KEY, True), why="written")) == {}


@pytest.mark.parametrize("acts", [True, False])
def test_a_fold_does_nothing_while_its_condition_does_not_hold(acts: bool) -> None:
    fold = together(Pair(KEY, FIELD), why="the key", when=When(lambda _: acts, "it does not act"))
    assert (FIELD in read(fold, chatty="finish"), KEY in write(fold, value="finish").out) == (acts, acts)


def test_a_condition_is_that_of_the_whole_fold() -> None:
    part = together(Pair(KEY, FIELD), why="the key", when=When(lambda _: False, "it does not act"))
    with pytest.raises(AssertionError, match="the fold of all has the condition"):
        together(part, why="the key")


def test_null_may_be_a_value_of_a_key() -> None:
    assert write(Pair(KEY, FIELD, null=True), value=None).out[KEY].value is None
    assert write(Pair(KEY, FIELD), value=None).out == {}
    assert write(Pair(KEY, FIELD, default="finish", unlisted=True), value="finish").out[KEY].default == "finish"


def test_another_key_counts_where_one_says_nothing() -> None:
    leader = Pair("further", "stage.model.path")
    both = together(
        leader, Pair(KEY, "stage.model.critic_path", fallback=(leader.key, leader.path)), why="a critic's weights"
    )
    assert read(both, chatty="own", further="actors")["stage.model.critic_path"] == "own"
    assert read(both, further="actors")["stage.model.critic_path"] == "actors"


def test_what_the_code_does_instead_may_hang_on_the_release() -> None:
    behaves = Behaves(FIELD, "finish", "how", lambda w: f"release {w.release} waits", same=State.DERIVED)
    assert write(behaves, value="interrupt").outcomes[FIELD].note == "release 0.3.0 waits"
    assert write(behaves, value="finish").outcomes[FIELD].state is State.DERIVED
