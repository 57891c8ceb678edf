"""Shapes for what a kind of run states whatever the plan says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING
from rftconf.mappers.shapes import together
from rftconf.mappers.statements import Lost, Means, Narrows, Noted, Question, Refused, Stated
from tests.mappers.test_precedence import reading
from tests.mappers.test_shapes import FIELD, KEY, table, write

OTHER = "further"


def test_keys_mean_a_word_together() -> None:
    means = Means(FIELD, "finish", {KEY: True, OTHER: 0}, {OTHER: "the program asks for both"})
    result = reading(together(means, why="a word"), chatty=True)
    assert (result.values, result.origins[FIELD].keys) == ({FIELD: "finish"}, (KEY,))
    out = write(means, value="finish").out
    assert {key: (line.value, line.how) for key, line in out.items()} == {
        KEY: (True, ""),
        OTHER: (0, "the program asks for both"),
    }


def test_a_key_is_stated_for_plans_of_other_frameworks() -> None:
    stated = Stated(KEY, 1, "the program stops without it")
    writing = write(stated)
    assert writing.out[KEY].value == 1
    again = replace(writing, same_framework=True, out={})
    again.write_all()
    assert again.out == {}


def test_a_key_is_stated_unless_a_row_writes_it() -> None:
    stated = Stated(KEY, 1, "the default starts no run", unless=FIELD)
    assert write(stated).out[KEY].chosen
    assert write(stated, value="finish").out == {}


def test_a_key_that_later_releases_do_not_need_is_stated_for_older_ones() -> None:
    assert write(Stated(KEY, 1, "older releases look for it", before="0.2.1")).out == {}
    assert KEY in write(Stated(KEY, 1, "older releases look for it", before="0.4.0")).out


def test_all_keys_of_a_word_may_tell_it() -> None:
    means = Means(FIELD, "finish", {KEY: True, OTHER: 0}, state=State.DERIVED, told_by_all=True)
    assert reading(together(means, why="a word"), chatty=True).origins[FIELD].keys == (KEY, OTHER)
    assert write(means, value="finish").outcomes[FIELD].state is State.DERIVED


def test_a_plan_that_the_framework_does_not_run_is_refused() -> None:
    refused = Refused(lambda w: w.plan(FIELD) == "interrupt", "answers are always finished", ("finish them",))
    with pytest.raises(RefusedError, match="answers are always finished"):
        write(refused, value="interrupt")
    assert write(refused, value="finish").out == {}


def test_a_field_without_a_place_is_lost_and_noted() -> None:
    lost = write(Lost(FIELD, State.NARROWED, "answers are finished", noted=True), value="interrupt")
    assert (lost.outcomes[FIELD].state, lost.notes) == (State.NARROWED, ["answers are finished"])


def test_a_note_may_narrow_a_key_for_a_reason_of_its_own() -> None:
    noted = Noted(lambda r: r.native(KEY) is False, "nothing happens", KEY, lambda r: f"{r.native(KEY)} is quiet here")
    quiet = reading(together(noted, why="a note"), chatty=False)
    assert (quiet.notes, quiet.narrowed) == (["nothing happens"], {KEY: "False is quiet here"})


def test_a_key_is_narrowed_where_something_holds() -> None:
    narrows = together(Narrows(KEY, lambda r: r.native(KEY) is True, "nobody else talks"), why="a key")
    assert reading(narrows, chatty=True).narrowed == {KEY: "nobody else talks"}
    assert reading(narrows, chatty=False).narrowed == {}


def test_a_key_that_the_plan_does_not_tell_is_asked_for() -> None:
    shape = Question(KEY, FIELD, "how does it end?", ("finish", "interrupt"))
    writing = write(shape, value=None)
    assert (writing.out[KEY].value, writing.out[KEY].state) == (MISSING, State.UNRESOLVED)
    assert [(question.key, question.choices) for question in writing.decisions] == [(KEY, ("finish", "interrupt"))]
    assert write(shape, value="finish").out == {}


def test_a_sentence_is_noted_of_what_holds() -> None:
    noted = Noted(lambda r: r.native(KEY) is False, "nothing happens")
    assert reading(together(noted, why="a note"), chatty=False).notes == ["nothing happens"]
    assert reading(together(noted, why="a note"), chatty=True).notes == []
    assert table(noted).rows[0].natives == ()  # type: ignore[union-attr]
