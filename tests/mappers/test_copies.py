"""Shapes for one value in several places."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import State
from rftconf.mappers.context import When
from rftconf.mappers.copies import Copies, Follower
from rftconf.mappers.shapes import Pair, together
from rftconf.mappers.writing import Writing
from tests.mappers.test_precedence import reading
from tests.mappers.test_shapes import FIELD, KEY, table, write

OTHER = "further"


@pytest.mark.parametrize(("further", "narrowed"), [(True, {}), (False, {OTHER: "chatty says True"})])
def test_the_first_copy_counts_and_all_are_written(further: bool, narrowed: dict[str, str]) -> None:
    copies = Copies((KEY, OTHER), "stage.model.trust_remote_code", differs="chatty says {}")
    result = reading(together(copies, why="copies"), chatty=True, further=further)
    assert (result.values, result.narrowed) == ({"stage.model.trust_remote_code": True}, narrowed)
    twice = write(Copies((KEY, OTHER), FIELD), value="finish")
    assert {key: out.value for key, out in twice.out.items()} == {KEY: "finish", OTHER: "finish"}


def test_copies_that_have_to_be_there_are_written_first_with_the_reason() -> None:
    twice = write(Copies((KEY, OTHER), FIELD, how="both are asked for"), value="finish")
    assert [(key, out.how) for key, out in twice.out.items()] == [(OTHER, "both are asked for"), (KEY, "")]


@pytest.mark.parametrize(("further", "value"), [(True, True), (False, False)])
def test_a_field_may_need_every_copy(further: bool, value: bool) -> None:
    copies = Copies((KEY, OTHER), "stage.model.trust_remote_code", default=False, every=True)
    assert reading(together(copies, why="copies"), chatty=True, further=further).values[copies.path] is value


@pytest.mark.parametrize(("exists", "values"), [(True, {"follows": 2}), (False, {})])
def test_a_field_follows_another(exists: bool, values: dict[str, Any]) -> None:
    leader, path = "stage.placement.actor.sp", "stage.placement.critic.sp"
    follower = Follower(path, leader, KEY, When(lambda _: exists, "no critic"), "one key", "one key for both")
    result = reading(together(Pair(KEY, leader), follower, why="one key"), chatty=2)
    assert result.values == {leader: 2, **({path: 2} if values else {})}


@pytest.mark.parametrize(("own", "state"), [(2, State.DEFAULT), (4, State.NO_COUNTERPART)])
def test_what_follows_is_the_same_or_lost(own: int, state: State) -> None:
    leader, path = "stage.placement.actor.sp", "stage.placement.critic.sp"
    follower = Follower(path, leader, KEY, When(lambda _: True, ""), "one key", "one key for both")
    writing = Writing(table(follower), "roll", "0.3.0", "rlvr", {leader: 2, path: own}, {})
    writing.write_all()
    assert (writing.outcomes[path].state, writing.out) == (state, {})
