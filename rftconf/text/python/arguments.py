"""Arguments of a call in a Python text, and options that a program is given."""

from __future__ import annotations

from dataclasses import dataclass, field

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


def parsed(f: Interpreter, key: str, datum: Datum) -> Datum:
    """Return an option as the program's arguments give it, else its default."""
    for flag in (f"--{key}", f"--{key.replace('_', '-')}"):
        for number, word in enumerate(f.arguments):
            if word.startswith(f"{flag}="):
                return Datum(literal(word.partition("=")[2]), datum.place)
            if word == flag:
                after = f.arguments[number + 1 : number + 2]
                switch = not after or after[0].startswith("--")
                value: Known = (datum.value is False) if isinstance(datum.value, bool) else True
                return Datum(value if switch else literal(after[0]), datum.place)
    return Datum(f.given_value(key), datum.place) if key in f.bindings else datum
