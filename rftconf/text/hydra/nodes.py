"""An override's value consists of these nodes: elements, calls and sweeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, Union

from rftconf.base.symbols import Expr, Value
from rftconf.text.hydra.tokens import OverrideSyntaxError, Token

Content: TypeAlias = Union[None, bool, int, float, str, Expr, "list[Element]", "dict[Key, Element]"]


Key: TypeAlias = None | bool | int | float | str


@dataclass(slots=True)
class Element:
    """One value, or a list or mapping of them; `start` and `end` are offsets in the override."""

    content: Content
    start: int
    end: int
    quoted: bool = False

    def value(self) -> Value:
        """Plain data, mapping keys as text."""
        if isinstance(self.content, list):
            return [item.value() for item in self.content]
        if isinstance(self.content, dict):
            return {key_text(key): item.value() for key, item in self.content.items()}
        return self.content


@dataclass(slots=True)
class Call:
    """A function call inside a value: `int("3")`."""

    name: Token
    args: list[Element] = field(default_factory=list)
    kwargs: dict[str, Element] = field(default_factory=dict)
    end: int = 0


class SymbolicStructureError(Exception):
    """The structure of the value depends on an unknown part."""


def key_text(key: Key) -> str:
    """A mapping's key as part of a dotted key: `{1: x}` and `{true: x}` become `1` and `true`."""
    if key is None:
        return "null"
    return str(key).lower() if isinstance(key, bool) else str(key)


def sweep(offset: int) -> OverrideSyntaxError:
    """The error for a value that is a sweep."""
    return OverrideSyntaxError(
        "a sweep describes several runs, and a plan is one run",
        offset,
        "give one value; a list is written [a,b]",
        "SYN303",
    )
