"""Arguments of a call in a Python text, and options that a program is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from rftconf.base.symbols import Expr
from rftconf.text.python.interpreter import Interpreter
from rftconf.text.python.values import Datum, Known, literal


@dataclass(slots=True)
class Arguments:
    """A call's arguments by place and by name."""

    placed: list[Datum] = field(default_factory=list)
    named: dict[str, Datum] = field(default_factory=dict)

    def get(self, number: int, *names: str) -> Datum | None:
        """Return an argument by one of its names, else by its place."""
        by_name = next((self.named[name] for name in names if name in self.named), None)
        return by_name if by_name is not None or number >= len(self.placed) else self.placed[number]


def parsed(f: Interpreter, key: str, datum: Datum, flags: tuple[str, ...] = ()) -> Datum:
    """Return an option as the program's arguments give it under one of its `flags`, the last one winning, else its default."""
    names = {_plain(flag) for flag in flags or (f"--{key}",)}
    for number in range(len(f.arguments) - 1, -1, -1):
        word = f.arguments[number]
        flag, equal, after = word.partition("=") if isinstance(word, str) and word.startswith("-") else ("", "", "")
        name = _plain(flag)
        if isinstance(datum.value, bool) and name not in names and name.removeprefix("no_") in names:
            return Datum(value=False, place=datum.place)
        if name in names:
            values = (after,) if equal else _behind(f.arguments[number + 1 :])
            return Datum(_value_of(f, datum, values), datum.place)
    return Datum(f.given_value(key), datum.place) if key in f.bindings else datum


def _plain(flag: str) -> str:
    """The name of an option however its words are joined."""
    return flag.lstrip("-").replace("-", "_")


def _behind(words: Sequence[str | Expr]) -> tuple[str | Expr, ...]:
    """The words up to the next option."""
    return tuple(takewhile(lambda word: isinstance(word, Expr) or not word.startswith("--"), words))


def _value_of(f: Interpreter, datum: Datum, values: Sequence[str | Expr]) -> Known:
    if not values:
        return (datum.value is False) if isinstance(datum.value, bool) else True
    known = [word if isinstance(word, Expr) else literal(word) for word in values]
    if len(known) == 1:
        return known[0]
    items = {str(number): Datum(value, datum.place) for number, value in enumerate(known)}
    return f.state.make("list", datum.place, items)
