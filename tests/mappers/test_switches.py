"""Keys that are on or off, where the plan has a word for either."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import State
from rftconf.base.symbols import Var
from rftconf.mappers.switches import Switch
from tests.mappers.test_shapes import FIELD, KEY, read, write


@pytest.mark.parametrize(
    ("value", "word"), [(True, "interrupt"), (False, "finish"), (None, "finish"), (Var("X"), Var("X"))]
)
def test_a_switch_has_a_word_for_either(value: Any, word: Any) -> None:
    switch = Switch(KEY, FIELD, "interrupt", "finish", {"abort": "answers go on instead"})
    assert read(switch, chatty=value) == {FIELD: word}
    assert write(switch, value="finish").out[KEY].value is False
    near = write(switch, value="abort")
    assert near.out[KEY].value is True
    assert near.outcomes[FIELD].state is State.NARROWED
    assert write(switch, value=Var("X")).out[KEY].value == "???"


def test_a_switch_is_left_to_a_person_where_nobody_told_the_word() -> None:
    writing = write(Switch(KEY, FIELD, "interrupt", "finish", open="the word is not told"), value=Var("X"))
    assert (writing.out[KEY].state, writing.out[KEY].note) == (State.UNRESOLVED, "the word is not told")


def test_a_switch_may_be_written_for_one_word_alone() -> None:
    switch = Switch(KEY, FIELD, "interrupt", "finish", unsaid="answers are finished", how="they go on")
    on, off = write(switch, value="interrupt"), write(switch, value="finish")
    assert (on.out[KEY].value, on.out[KEY].how) == (True, "they go on")
    assert (off.out, off.outcomes[FIELD].state, off.outcomes[FIELD].note) == ({}, State.DEFAULT, "answers are finished")
    assert write(switch, value=Var("X")).out[KEY].state is State.UNRESOLVED
