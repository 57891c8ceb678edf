"""Text of a config inside generated Python is a literal, whatever it holds."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.symbols import Arith, Branch, ShellOnly, Text, Value, Var
from rftconf.convert.adapters.literals import call, literal
from rftconf.mappers.adapting import Missing

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_a_literal_reads_back_as_the_value(value: Any) -> None:
    assert ast.literal_eval(literal(value)) == value


@given(PLAIN)
def test_a_literal_survives_being_indented_as_an_argument(value: Any) -> None:
    tree = ast.parse(call("DataSet", {"input": value}), mode="eval").body
    assert isinstance(tree, ast.Call)
    assert ast.literal_eval(tree.keywords[0].value) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a", '"a"'),
        ('say "x"', "'say \"x\"'"),
        ("\n", r"'\n'"),
        (("a", {}), '("a", {})'),
        (("a",), '("a",)'),
        (Missing("why"), 'Required("why")'),
        (Var("X"), 'Required("X")'),
        (Text((Var("X"), "/a")), 'Required("${X}/a")'),
        (float("inf"), 'float("inf")'),
    ],
)
def test_how_it_is_written(value: Any, written: str) -> None:
    assert literal(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Var("X"), 'FromEnvironment("${X}")'),
        (Text((Var("X"), "/a")), 'FromEnvironment("${X}/a")'),
        (Text((Var("X"), "/$a")), 'Required("${X}/$a")'),
        (ShellOnly("$(nproc)"), 'Required("$(nproc)")'),
        (Arith("+", Var("X"), 1), 'Required("X + 1")'),
        (Branch("[ x ]", "a", "b"), 'Required("(a if [ x ] else b)")'),
        ("$X", '"$X"'),
        ({"k": Var("X")}, '{"k": FromEnvironment("${X}")}'),
    ],
)
def test_what_the_environment_tells_is_read_when_the_run_starts(value: Value, written: str) -> None:
    """Only text around variables: a dollar sign that is the user's own must not be expanded."""
    assert literal(value, environment=True) == written


def test_numbers_that_are_no_literals() -> None:
    result = eval(literal([math.nan, -math.inf]), {"float": float})
    assert math.isnan(result[0])
    assert result[1] == -math.inf


def test_what_has_no_literal_is_an_error_of_ours() -> None:
    with pytest.raises(TypeError, match="no literal for object"):
        literal(object())
