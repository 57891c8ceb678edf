"""Expressions compute what the shell would compute once their names are known, and never before."""

from __future__ import annotations

import subprocess
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rftconf.base.symbols import (
    Arith,
    Branch,
    Expr,
    Number,
    ShellOnly,
    Text,
    Var,
    arith,
    formula,
    is_symbolic,
    names_in,
    text,
    to_interpolation,
    to_shell,
)
from rftconf.plan.substitution import substitute

NAMES = ("BS", "N", "GPUS")
leaves: st.SearchStrategy[Number] = st.integers(1, 64) | st.sampled_from([Var(name) for name in NAMES])
bound = st.fixed_dictionaries({name: st.integers(1, 64) for name in NAMES})


def value_of(expression: Number, known: dict[str, int]) -> Fraction:
    """What the expression is worth, computed on its own."""
    match expression:
        case Var(name):
            return Fraction(known[name])
        case Arith(op, left, right):
            first, second = value_of(left, known), value_of(right, known)
            if op in ("/", "//"):
                assume(second != 0)
                return first / second if op == "/" else Fraction(first // second)
            return {"+": first + second, "-": first - second, "*": first * second}[op]
    assert isinstance(expression, (int, float))
    return Fraction(expression)


def safe(op: str, left: Number, right: Number) -> Number:
    assume(not (op in ("/", "//") and right == 0))
    return arith(op, left, right)


@given(st.sampled_from(["+", "-", "*", "/"]), leaves, leaves, leaves, bound)
def test_building_keeps_the_value(op: str, size: Number, two: Number, three: Number, known: dict[str, int]) -> None:
    built = arith("*", safe(op, size, two), three)
    expected = value_of(Arith("*", Arith(op, size, two), three), known)
    assert value_of(built, known) == pytest.approx(expected)


@given(leaves, leaves, leaves, bound)
def test_products_in_lowest_terms_keep_the_value(a: Number, b: Number, c: Number, known: dict[str, int]) -> None:
    built = arith("/", arith("*", arith("*", a, b), 8), arith("*", b, c))
    assert float(value_of(built, known)) == pytest.approx(float(value_of(a, known) * 8 / value_of(c, known)), rel=1e-12)


def test_what_cancels_is_known() -> None:
    assert arith("/", arith("*", Var("BS"), 32), arith("*", Var("BS"), 8)) == 4
    assert arith("*", 0, Var("BS")) == 0
    assert arith("*", 1, Var("BS")) == Var("BS")
    assert arith("/", Var("BS"), 1) == Var("BS")


@given(bound)
def test_substitution_computes(known: dict[str, int]) -> None:
    expression = (Var("BS") * 4 + Var("N")) * Var("GPUS")
    assert substitute(expression, known) == (known["BS"] * 4 + known["N"]) * known["GPUS"]
    remaining = substitute(expression, {"BS": 3})
    assert names_in(remaining) == {"N", "GPUS"}
    assert substitute(remaining, {**known, "BS": 99}) == (12 + known["N"]) * known["GPUS"]


def test_substitution_reaches_into_texts_lists_and_branches() -> None:
    path = text(Var("HOME"), "/data")
    assert substitute(path, {"HOME": "/root"}) == "/root/data"
    assert substitute([path, {"x": Var("N")}], {"HOME": "/h", "N": 2}) == ["/h/data", {"x": 2}]
    branch = Branch("[[ $X ]]", Var("A"), 1)
    assert substitute(branch, {"A": 5}) == Branch("[[ $X ]]", 5, 1)


@settings(max_examples=25, deadline=None)
@given(bound)
def test_the_shell_computes_the_same(known: dict[str, int]) -> None:
    expression = (Var("BS") * 4 - Var("N")) * (Var("GPUS") + 2)
    assert isinstance(expression, Expr)
    script = "".join(f"{name}={value}; " for name, value in known.items()) + f'printf %s "{to_shell(expression)}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) == substitute(expression, known)


def test_formulas_have_only_the_parentheses_they_need() -> None:
    assert formula(Var("BS") * 4) == "BS * 4"
    assert formula(None) == "null"
    assert formula(arith("*", arith("+", Var("A"), 1), Var("B"))) == "(A + 1) * B"
    assert formula(arith("-", Var("A"), arith("-", Var("B"), 1))) == "A - (B - 1)"
    assert formula(arith("//", arith("*", Var("ROWS"), 3), 512)) == "ROWS * 3 // 512"


def test_texts_merge() -> None:
    assert text("a", "b") == "ab"
    assert text() == ""
    assert text(Var("X")) == Var("X")
    assert text("a", text("b", Var("X")), "") == Text(("ab", Var("X")))


def test_only_names_and_texts_of_names_are_interpolations() -> None:
    assert to_interpolation(text(Var("HOME"), "/d")) == "${oc.env:HOME}/d"
    assert to_interpolation("plain") == "plain"
    assert to_interpolation(Var("True")) == "${oc.env:'True'}"  # OmegaConf's oc.env refuses a switch for a name
    assert to_interpolation(Var("Trues")) == "${oc.env:Trues}"
    assert to_interpolation(Arith("*", Var("BS"), 4)) is None
    assert to_interpolation(ShellOnly("$(nproc)")) is None
    assert to_interpolation(Text(("a", ShellOnly("$(nproc)")))) is None


def test_what_only_a_shell_can_compute_stays_as_written() -> None:
    cores = ShellOnly("$(nproc)")
    assert to_shell(text("n", cores)) == "n$(nproc)"
    assert names_in(ShellOnly("${X##*/}", ("X",))) == {"X"}
    assert is_symbolic([1, {"x": cores}])
    assert not is_symbolic([1, {"x": "$HOME"}])


def test_rounding_down_is_left_out_only_where_it_cannot_matter() -> None:
    rows = Var("ROWS")
    assert arith("//", arith("*", 2, rows), 1) == arith("*", 2, rows)
    floored = arith("//", arith("*", 0.05, rows), 1)
    assert formula(floored) == "0.05 * ROWS // 1"
    assert substitute(floored, {"ROWS": 232}) == 11


def test_a_choice_stands_in_parentheses_beside_operators() -> None:
    gpus = Branch("test -e /dev/npu", 16, 8)
    assert formula(gpus) == "(16 if test -e /dev/npu else 8)"
    assert formula(arith("/", 8192, gpus)) == "8192 / (16 if test -e /dev/npu else 8)"
