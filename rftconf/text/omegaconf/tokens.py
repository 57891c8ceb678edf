"""Tokens of an argument in OmegaConf's interpolation grammar."""

from __future__ import annotations

import re

from rftconf.base.numbers import MOST_DIGITS
from rftconf.base.symbols import Value

_INT = r"(?:0|[1-9](?:_?[0-9])*)"
_POINT = rf"(?:{_INT}?\.[0-9](?:_?[0-9])*|{_INT}\.)"
TOKENS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("colon", r"[ \t]*:[ \t]*"),
        (
            "float",
            rf"[+-]?(?:(?:{_POINT}|{_INT})[eE][+-]?[0-9](?:_?[0-9])*|{_POINT}|[Ii][Nn][Ff]|[Nn][Aa][Nn])",
        ),
        ("int", rf"[+-]?{_INT}"),
        ("bool", r"[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"),
        ("null", r"[Nn][Uu][Ll][Ll]"),
        ("text", r"[/\-\\+.$%*@?|]"),
        ("text", r"[A-Za-z_][A-Za-z0-9_\-]*"),
        ("escape", r"(?:\\[\\()\[\]{}:=, \t])+"),
        ("text", r"[ \t]+"),
    )
)


class Typed(str):
    """A token that becomes a number, a truth value or null when it stands alone."""

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, token: str, kind: str) -> Typed:
        """A token of a kind of TOKENS."""
        typed = super().__new__(cls, token)
        typed.kind = kind
        return typed

    def unescaped(self) -> str:
        """The text, `\\,` and its like without the backslash."""
        return self[1::2] if self.kind == "escape" else str(self)

    def value(self) -> Value:
        """Return the value that the token has when nothing stands beside it, by its type; else its text."""
        match self.kind:
            case "int" if len(self) <= MOST_DIGITS:
                return int(self)
            case "float":
                return float(self)
            case "bool":
                return self.lower() == "true"
            case "null":
                return None
        return self.unescaped()
