"""A config as flat keys, and what lies below one of them as a tree."""

from __future__ import annotations

from rftconf.mappers.native import Cell, Native


def native(**cells: object) -> Native:
    return Native("roll", "0.3.0", "agentic", {key.replace("__", "."): Cell(value) for key, value in cells.items()})


def test_a_branch_is_a_tree() -> None:
    found = native(a__b__c=1, a__b__d=None, a__e=[1, 2], f=3)
    assert found.branch("a") == {"b": {"c": 1, "d": None}, "e": [1, 2]}
    assert found.branch("g") == {}


def test_lists_of_mappings_are_lists() -> None:
    cells = {"env.tools[0].id": "python", "env.tools[0].args.timeout": 5, "env.tools[1].id": "search", "env.n": 1}
    found = Native("roll", "0.3.0", "agentic", {key: Cell(value) for key, value in cells.items()})
    assert found.branch("env") == {"tools": [{"id": "python", "args": {"timeout": 5}}, {"id": "search"}], "n": 1}


def test_names_with_dots_stay_names() -> None:
    found = Native("roll", "0.3.0", "agentic", {'env.scores["a.b"].weight': Cell(2)})
    assert found.branch("env") == {"scores": {"a.b": {"weight": 2}}}
