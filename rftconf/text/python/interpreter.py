"""The parts of a text being followed that the value of an expression may ask for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from rftconf.base.symbols import Expr
from rftconf.text.python.positions import Positions
from rftconf.text.python.state import State
from rftconf.text.python.values import Datum, Function, Instance, Known, Ref


class Interpreter(Protocol):
    """A text being followed: its state, what is given by hand, and the functions of the text itself."""

    positions: Positions
    state: State
    bindings: Mapping[str, str]
    asked: set[str]
    arguments: tuple[str | Expr, ...]
    made: list[Ref]
    rows: list[tuple[str, ast.Call]]

    @property
    def forms(self) -> Mapping[type, Callable[[Any, Any], Datum | Known]]:
        """The function for each form of an expression."""

    def symbol(self, name: str) -> Known:
        """Return what a person gives under a name, else the name."""

    def given_value(self, name: str) -> Known:
        """Return a value that is given by hand, as the text would have it."""

    def environment(self, key: Known, default: Datum | None = None) -> Datum | Known:
        """Return a variable of the environment: as it is given, else its default, else its name."""

    def fields_of(self, value: Known) -> dict[str, Datum] | None:
        """Return what an object, or a class, has by name."""

    def spread(self, instance: Instance, datum: Datum, fields: dict[str, Datum]) -> None:
        """Add what `**` brings to the fields of an object."""

    def body_of(self, function: Function, parameters: dict[str, Datum]) -> Datum:
        """Follow a function of the text and return what it returns."""
