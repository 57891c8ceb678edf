from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.symbols import Var
from rftconf.schemas.edits import Edit, Merge, Move, Removed, Split, moves, removed_keys
from rftconf.schemas.needed_keys import NeededKey
from rftconf.schemas.value_edits import Pin, Reinterpret, Revalue
from tests.schemas.shared import Cell


def up(edit: Edit, **values: Any) -> tuple[dict[str, Any], bool]:
    """The config after the edit, by value, and whether it reported a loss. `__` stands for a dot."""
    flat = {name.replace("__", "."): Cell(value, name) for name, value in values.items()}
    changes = edit.up(flat)
    return {name: cell.value for name, cell in flat.items()}, any(change.lossy for change in changes)


def down(edit: Edit, **values: Any) -> tuple[dict[str, Any], bool]:
    flat = {name.replace("__", "."): Cell(value, name) for name, value in values.items()}
    changes = edit.down(flat)
    return {name: cell.value for name, cell in flat.items()}, any(change.lossy for change in changes)


def test_a_moved_cell_keeps_what_belongs_to_it() -> None:
    flat = {"a.old": Cell(1, "file:3:7")}
    (change,) = Move("a.old", "a.new").up(flat)
    assert flat == {"a.new": Cell(1, "file:3:7")}
    assert (change.key, change.became, change.why) == ("a.old", ("a.new",), "renamed a.new")


def test_move_there_and_back() -> None:
    assert up(Move("a.old", "b.new"), a__old=1, c=2) == ({"b.new": 1, "c": 2}, False)
    assert down(Move("a.old", "b.new"), b__new=1, c=2) == ({"a.old": 1, "c": 2}, False)
    assert up(Move("a.old", "b.new"), a__older=1) == ({"a.older": 1}, False)


def test_a_tree_moves_with_everything_below() -> None:
    flat = {"a.b.x": Cell(1), "a.b.y.z": Cell(2), "a.bc": Cell(3)}
    Move("a.b", "n", tree=True).up(flat)
    assert {name: cell.value for name, cell in flat.items()} == {"a.bc": 3, "n.x": 1, "n.y.z": 2}


def test_indices_survive_a_move() -> None:
    flat = {"s[2].t[0].old": Cell(1), "s.t.old": Cell(2)}
    Move("s[].t[].old", "s[].t[].new").up(flat)
    assert set(flat) == {"s[2].t[0].new", "s.t.old"}


def test_the_old_name_wins_and_says_so() -> None:
    assert up(Move("old", "new", stays=True), old=1, new=2) == ({"new": 1}, True)
    assert up(Move("old", "new", stays=True), old=1, new=1) == ({"new": 1}, False)


def test_null_in_a_name_that_stays_means_unset() -> None:
    assert up(Move("old", "new", stays=True), old=None, new=2) == ({"new": 2}, False)


def test_an_alias_of_both_releases_is_left_alone_downwards() -> None:
    assert down(Move("old", "new", stays=True, both=True), new=1) == ({"new": 1}, False)


def test_a_key_that_had_no_effect_is_not_moved() -> None:
    edit = Move("old", "new", only_if=("engine", "megatron"))
    assert up(edit, old=1, engine="fsdp") == ({"engine": "fsdp"}, True)
    assert up(edit, old=1, engine="megatron") == ({"engine": "megatron", "new": 1}, False)
    assert down(edit, new=1, engine="megatron") == ({"engine": "megatron", "old": 1}, False)
    assert down(edit, new=1) == ({"new": 1}, False)
    assert down(Move("old", "new", only_if=("on", True), implies=True), new=1) == ({"on": True, "old": 1}, False)


def test_split_copies_up_and_reports_differences_down() -> None:
    edit = Split("c.contents", ("c.save", "c.load"))
    assert up(edit, c__contents=[1]) == ({"c.save": [1], "c.load": [1]}, False)
    assert up(edit, c__contents=[1], c__load=[2]) == ({"c.save": [1], "c.load": [2]}, False)
    assert down(edit, c__save=[1], c__load=[1]) == ({"c.contents": [1]}, False)
    assert down(edit, c__save=[1], c__load=[2]) == ({"c.contents": [1]}, True)


def test_merge_lifts_the_first_and_keeps_what_differs() -> None:
    edit = Merge(("actor.tp", "ref.tp", "critic.tp"), "tp")
    assert up(edit, actor__tp=2, ref__tp=2, critic__tp=4) == ({"critic.tp": 4, "tp": 2}, False)
    assert up(edit, ref__tp=2) == ({"ref.tp": 2}, False)
    assert down(edit, tp=2, critic__tp=4) == ({"critic.tp": 4, "actor.tp": 2, "ref.tp": 2}, False)


def test_gone_is_a_loss_unless_harmless() -> None:
    assert up(Removed("old", "why"), old=1) == ({}, True)
    assert up(Removed("old", "why", harmless=True), old=1) == ({}, False)
    assert up(Removed("node", "why", tree=True), node__a=1, node__b__c=2, other=3) == ({"other": 3}, True)
    assert down(Removed("old", "why"), other=3) == ({"other": 3}, False)


def test_revalue_there_and_back_and_types_matter() -> None:
    edit = Revalue("n", {None: 0}, "0 asks")
    assert up(edit, n=None) == ({"n": 0}, False)
    assert down(edit, n=0) == ({"n": None}, False)
    assert down(edit, n=False) == ({"n": False}, False)
    assert down(Revalue("n", {"sync": "async"}, "gone", {}), n="async") == ({"n": "async"}, False)


def test_an_expression_is_never_respelt_or_reinterpreted() -> None:
    assert up(Revalue("n", {"sync": "async"}, "gone"), n=Var("MODE")) == ({"n": Var("MODE")}, False)
    assert up(Reinterpret("n", ("norm",), "divides otherwise"), n=Var("MODE")) == ({"n": Var("MODE")}, False)


def test_reinterpret_says_it_both_ways() -> None:
    edit = Reinterpret("agg", ("norm",), "divides otherwise")
    assert up(edit, agg="norm") == ({"agg": "norm"}, True)
    assert down(edit, agg="norm") == ({"agg": "norm"}, True)
    assert up(edit, agg="mean") == ({"agg": "mean"}, False)


@pytest.mark.parametrize(("overrules", "expected"), [(True, "seq"), (False, "token")])
def test_pin_writes_what_was_implied(overrules: bool, expected: str) -> None:
    edit = Pin(("loss", lambda loss: loss == "gspo"), "agg", "seq", "forced", overrules)
    assert up(edit, loss="gspo") == ({"loss": "gspo", "agg": "seq"}, False)
    assert up(edit, loss="gspo", agg="token")[0]["agg"] == expected
    assert up(edit, loss="ppo") == ({"loss": "ppo"}, False)
    assert down(edit, loss="gspo", agg="token")[1] is overrules


def test_shorthands() -> None:
    assert [edit.touches(["a.x", "a.y", "a.z"]) for edit in moves("a", "b", ("x", "y"))] == [{"a.x"}, {"a.y"}]
    assert frozenset().union(*(edit.touches(["a", "b", "c"]) for edit in removed_keys("why", "a", "b"))) == {"a", "b"}


def test_wanted_writes_what_the_older_release_asks_for() -> None:
    edit = NeededKey(("on", lambda on: on is True), "size", 1, "asked for", unless=("dynamic", True))
    assert down(edit, on=True) == ({"on": True, "size": 1}, False)
    assert down(edit, on=True, size=4)[0]["size"] == 4
    assert down(edit, on=True, dynamic=True)[0] == {"on": True, "dynamic": True}
    assert down(edit, on=False)[0] == up(edit, on=False)[0] == {"on": False}
    assert edit.touches(["size"]) == frozenset()
