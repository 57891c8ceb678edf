"""Plan values are the same after strict JSON, and what is no value of ours is refused with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.expressions import OPERATORS, ExpressionError, dump_value, load_value
from rftconf.base.numbers import BEYOND
from rftconf.base.symbols import Arith, Branch, Now, OpenKey, ShellOnly, Text, Var

NAMES = st.text(min_size=1, max_size=6)
NUMBERS = st.integers(1 - BEYOND, BEYOND - 1) | st.floats(allow_nan=False)
KNOWN = st.none() | st.booleans() | NUMBERS | st.text(max_size=8)
KEYS = st.text(max_size=4) | st.sampled_from(["$expr", "tree", "$float", "$plain", "$x", "a.b", "value"])


def expressions(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    operands = NUMBERS | inner
    parts = st.lists(
        st.text(max_size=4) | inner.filter(lambda part: not isinstance(part, Text)), min_size=1, max_size=3
    )
    values = KNOWN | inner | st.lists(KNOWN, max_size=2) | st.dictionaries(KEYS, KNOWN, max_size=2)
    return st.one_of(
        st.builds(Arith, st.sampled_from(OPERATORS), operands, operands),
        st.builds(Text, parts.map(tuple)),
        st.builds(Branch, st.text(max_size=6), values, values),
    )


ATOMS = (
    st.builds(Var, NAMES)
    | st.builds(OpenKey, NAMES)
    | st.builds(ShellOnly, NAMES, st.lists(NAMES, max_size=2).map(tuple))
    | st.builds(Now, NAMES)
)
EXPRESSIONS = st.recursive(ATOMS, expressions, max_leaves=6)
VALUES = st.recursive(
    KNOWN | EXPRESSIONS, lambda v: st.lists(v, max_size=3) | st.dictionaries(KEYS, v, max_size=3), max_leaves=8
)


@given(VALUES)
def test_a_value_comes_back_from_strict_json(value: Any) -> None:
    text = json.dumps(dump_value(value), allow_nan=False)
    assert load_value(json.loads(text)) == value


def test_a_formula_is_there_for_people() -> None:
    assert dump_value(Arith("*", Var("BS"), 4)) == {
        "$expr": "BS * 4",
        "tree": {"op": "*", "of": [{"var": "BS"}, 4]},
    }


def test_a_name_needs_no_tree() -> None:
    assert load_value({"$expr": "BS"}) == Var("BS")


@pytest.mark.parametrize(
    ("data", "message", "path"),
    [
        ({"$expr": "BS * 4"}, "is the name of a variable", ()),
        ({"$expr": 4}, "its formula as text", ()),
        ({"$expr": "4", "tree": 4}, "write the value itself", ("tree",)),
        ({"$expr": "BS", "tree": {"var": "N"}}, "says BS, and tree is N", ()),
        ({"$expr": "x", "tree": {"op": "^", "of": [1, 2]}}, "op is one of", ("tree",)),
        ({"$expr": "x", "tree": {"op": "*", "of": [1]}}, "two parts", ("tree",)),
        ({"$expr": "x", "tree": {"op": "*", "of": ["a", {"var": "b"}]}}, "of numbers", ("tree", "of", 0)),
        ({"$expr": "x", "tree": {"text": []}}, "text holds", ("tree",)),
        ({"$expr": "x", "tree": {"var": 1}}, "var is text", ("tree", "var")),
        ({"$expr": "x", "tree": {"name": "x"}}, "has the keys", ("tree",)),
        ({"$expr": "x", "tree": [1]}, "a list in a tree", ("tree",)),
        ({"a": [{"$float": "big"}]}, "one of inf", ("a", 0)),
        ({"$plain": 1}, "holds a mapping", ()),
    ],
)
def test_what_is_no_value_is_said_with_its_place(data: Any, message: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(ExpressionError, match=message) as error:
        load_value(data)
    assert error.value.path == path
