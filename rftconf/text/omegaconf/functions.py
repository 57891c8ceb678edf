"""Functions that frameworks register for interpolations beside OmegaConf's own: `${mul:a,b}` and the like, also of unknown numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from rftconf.base.symbols import Branch, Expr, Number, Value, arith, to_shell

Function: TypeAlias = Callable[[Number, Number], Number]


class UnresolvedError(Exception):
    """An interpolation that gives no value."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def _larger(left: Number, right: Number) -> Number:
    """Return the larger of two numbers; one of both, by a condition, while one is not known."""
    if isinstance(left, Expr) or isinstance(right, Expr):
        return Branch(f"(( {to_shell(left)} > {to_shell(right)} ))", left, right)
    return max(left, right)


_KNOWN: Mapping[str, Function] = {
    "mul": lambda left, right: arith("*", left, right),
    "div": lambda left, right: arith("/", left, right),
    "max": _larger,
}


def functions_of(names: Iterable[str]) -> Mapping[str, Function]:
    """Return the functions of these names."""
    return {name: _KNOWN[name] for name in names}


def apply(name: str, function: Function, arguments: list[Value]) -> Value:
    """Return what a function of two numbers gives. Raises UnresolvedError where they are none."""
    if len(arguments) != 2 or not all(_is_number(value) for value in arguments):
        raise UnresolvedError("SYN404", f"the resolver {name} takes two numbers")
    left, right = arguments
    assert isinstance(left, int | float | Expr)
    assert isinstance(right, int | float | Expr)
    try:
        return function(left, right)
    except ZeroDivisionError as error:
        raise UnresolvedError("SYN404", f"the resolver {name} divides by 0") from error


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float | Expr) and not isinstance(value, bool)
