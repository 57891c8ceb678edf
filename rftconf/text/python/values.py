"""Values of names in a Python text as far as it tells them: plain data, objects that it makes, and what stays open."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TypeAlias

from rftconf.base.record import record
from rftconf.base.span import Place
from rftconf.base.symbols import Expr
from rftconf.text.document import Via


@record
class Ref:
    """One object that the text makes; what it holds may change, and every name for it sees that."""

    number: int


@record
class Imported:
    """Something of a module, by its whole name: `torch.bfloat16`."""

    path: str

    @property
    def name(self) -> str:
        """Return the last part of the name."""
        return self.path.rpartition(".")[2]

    @property
    def package(self) -> str:
        """Return the first part of the name."""
        return self.path.partition(".")[0]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of the text itself, and how many scopes stand around it; `of` is the object whose method it is."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    depth: int
    of: Ref | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A class of the text itself: what stands in its body, and its bases."""

    node: ast.ClassDef
    bases: tuple[Datum, ...]
    fields: dict[str, Datum]


@record
class Opaque:
    """A value that the text does not tell."""

    why: str = ""


Known: TypeAlias = "None | bool | int | float | str | Expr | Ref | Imported | Function | Class | Opaque"
Plain: TypeAlias = "None | bool | int | float | str | Expr"


@record
class Datum:
    """A value with the place where it is written, and the names that it went through."""

    value: Known
    place: Place
    via: tuple[Via, ...] = ()
    name_place: Place | None = None
    """The place of the keyword, entry or attribute that it is the value of."""


@dataclass(slots=True)
class Instance:
    """One object: what kind it is, where it is made, and what it holds by name (a list: by number)."""

    kind: str
    place: Place
    fields: dict[str, Datum] = field(default_factory=dict)
    unread: tuple[Place, ...] = ()
    """Places of arguments that may hold any names."""
    flags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Return how a parser's options are written, by the name under which their values are."""

    def copy(self) -> Instance:
        """Return an object that holds the same and changes by itself."""
        return Instance(self.kind, self.place, dict(self.fields), self.unread, dict(self.flags))


def same(datum: Datum, other: Datum) -> bool:
    """True for one value: True is not 1 here, for a config tells them apart."""
    return type(datum.value) is type(other.value) and datum.value == other.value


def is_plain(value: Known) -> bool:
    """True for data without objects: numbers, texts, switches, expressions over names."""
    return value is None or isinstance(value, (bool, int, float, str, Expr))


def literal(text: str) -> Known:
    """Return a text that is given by hand as one number or a switch, where it is one."""
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
