"""Shapes for what a kind of run states whatever the plan says."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING
from rftconf.mappers.shapes import together
from rftconf.mappers.statements import Asked, Means, Noted, Stated
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


def test_a_key_that_the_plan_does_not_tell_is_asked_for() -> None:
    asked = Asked(KEY, FIELD, "how does it end?", ("finish", "interrupt"))
    writing = write(asked, value=None)
    assert (writing.out[KEY].value, writing.out[KEY].state) == (MISSING, State.UNRESOLVED)
    assert [(question.key, question.choices) for question in writing.decisions] == [(KEY, ("finish", "interrupt"))]
    assert write(asked, value="finish").out == {}


def test_a_sentence_is_noted_of_what_holds() -> None:
    noted = Noted(lambda r: r.native(KEY) is False, "nothing happens")
    assert reading(together(noted, why="a note"), chatty=False).notes == ["nothing happens"]
    assert reading(together(noted, why="a note"), chatty=True).notes == []
    assert table(noted).rows[0].natives == ()  # type: ignore[union-attr]
