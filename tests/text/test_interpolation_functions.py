"""Functions that a framework registers for interpolations are computed, stay formulas, or say why they give nothing."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import Branch, Value, Var, arith
from rftconf.text.omegaconf.functions import functions_of
from rftconf.text.omegaconf.interpolation import Resolver

FUNCTIONS = functions_of(("mul", "div", "max"))


def resolved(text: str, **values: Value) -> Value:
    done = Resolver({"x": text, **values}, functions=FUNCTIONS).resolve("x")
    assert not done.problem, done.problem
    return done.value


def test_known_numbers_are_computed() -> None:
    assert resolved("${mul:${a}, ${b}}", a=512, b=4) == 2048
    assert resolved("${div:${a},2}", a=512) == 256
    assert resolved("${max:${a},${mul:2,3}}", a=4) == 6


def test_an_unknown_number_stays_a_formula() -> None:
    assert resolved("${mul:${a},2}", a=Var("N")) == arith("*", Var("N"), 2)
    assert resolved("${max:${a},2}", a=Var("N")) == Branch("(( ${N} > 2 ))", Var("N"), 2)


@pytest.mark.parametrize(("text", "why"), [("${mul:1,word}", "takes two numbers"), ("${div:1,0}", "divides by 0")])
def test_what_is_no_number_is_told(text: str, why: str) -> None:
    assert why in Resolver({"x": text}, functions=FUNCTIONS).resolve("x").problem


def test_a_framework_without_the_function_does_not_compute_it() -> None:
    assert "not one of OmegaConf's own" in Resolver({"x": "${mul:1,2}"}).resolve("x").problem
