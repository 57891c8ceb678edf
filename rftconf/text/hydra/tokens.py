"""Tokens of the value side of Hydra 1.3's override grammar. Longest match wins, then the order of the table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from rftconf.text.placeholders import ANGLES, CURLIES

HOLE = "\ufdd0"
"""Stands for one expression in text that is not wholly known (a noncharacter: it cannot occur in UTF-8 prose)."""

_INT = r"(?:0|[1-9](?:_?[0-9])*)"
_POINT = rf"(?:{_INT}?\.[0-9](?:_?[0-9])*|{_INT}\.)"
_FLOAT = rf"[+-]?(?:(?:{_POINT}|{_INT})[eE][+-]?[0-9](?:_?[0-9])*|{_POINT}|[Ii][Nn][Ff]|[Nn][Aa][Nn])"
_ALWAYS: tuple[tuple[str, str], ...] = (
    ("POPEN", r"[ \t]*\([ \t]*"),
    ("COMMA", r"[ \t]*,[ \t]*"),
    ("PCLOSE", r"[ \t]*\)"),
    ("BRACKET_OPEN", r"\[[ \t]*"),
    ("BRACKET_CLOSE", r"[ \t]*\]"),
    ("BRACE_OPEN", r"\{[ \t]*"),
    ("BRACE_CLOSE", r"[ \t]*\}"),
    ("COLON", r"[ \t]*:[ \t]*"),
    ("EQUAL", r"[ \t]*=[ \t]*"),
    ("FLOAT", _FLOAT),
    ("INT", rf"[+-]?{_INT}"),
    ("BOOL", r"[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"),
    ("NULL", r"[Nn][Uu][Ll][Ll]"),
    ("UNQUOTED_CHAR", r"[/\-\\+.$%*@?|]"),
    ("ID", r"[A-Za-z_][A-Za-z0-9_\-]*"),
    ("ESC", r"(?:\\[\\()\[\]{}:=, \t])+"),
    ("WS", r"[ \t]+"),
    ("QUOTED", r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""),
    ("INTERPOLATION", r"\$\{[^}]+\}"),
    ("HOLE", HOLE),
    # Hydra refuses `<`, and `{word}`. What stands for a value that a person fills in is read all the same, and asked for.
    ("PLACEHOLDER", f"{ANGLES}|{CURLIES}"),
)
_TABLE = tuple((kind, re.compile(pattern, re.DOTALL)) for kind, pattern in _ALWAYS)
_SIMPLE = re.compile(
    "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _ALWAYS if kind in {"FLOAT", "INT", "BOOL", "NULL"})
    + r"|(?P<TEXT>[A-Za-z0-9_/\-+.$%*@?|]+)"
)


MAX_DEPTH = 100
_DEEPER = {"POPEN": 1, "BRACKET_OPEN": 1, "BRACE_OPEN": 1, "PCLOSE": -1, "BRACKET_CLOSE": -1, "BRACE_CLOSE": -1}


class Token(NamedTuple):
    """One token: its kind, its text and the offset of its first character."""

    kind: str
    text: str
    start: int


@dataclass(slots=True)
class OverrideSyntaxError(Exception):
    """An override that Hydra would refuse; `offset` counts characters from its start."""

    message: str
    offset: int
    help: str = ""
    code: str = "SYN302"


def simple_kind(text: str) -> str | None:
    """The kind of a value that is one word: FLOAT, INT, BOOL, NULL or TEXT; None when it needs the grammar."""
    match = _SIMPLE.fullmatch(text)
    return match.lastgroup if match else None


def tokens(text: str, start: int) -> list[Token]:
    """The tokens of `text` from `start` on, closed by one of kind EOF. Raises OverrideSyntaxError."""
    tokens_read: list[Token] = []
    position = start
    depth = 0
    while position < len(text):
        kind, end = _longest(text, position)
        if not kind:
            raise _unexpected(text, position)
        depth += _DEEPER.get(kind, 0)
        if depth > MAX_DEPTH:  # here already: a hostile value must not be cut up to its end first
            raise OverrideSyntaxError(f"nested deeper than {MAX_DEPTH} levels", position)
        tokens_read.append(Token(kind, text[position:end], position))
        position = end
    tokens_read.append(Token("EOF", "", position))
    return tokens_read


def _longest(text: str, position: int) -> tuple[str, int]:
    best, best_end = "", position
    for kind, pattern in _TABLE:
        match = pattern.match(text, position)
        if match and match.end() > best_end:
            best, best_end = kind, match.end()
    return best, best_end


def _unexpected(text: str, position: int) -> OverrideSyntaxError:
    char = text[position]
    if char in "'\"":
        return OverrideSyntaxError(f"the quote {char} is opened and never closed", position)
    name = repr(char) if char.isprintable() else f"U+{ord(char):04X}"
    return OverrideSyntaxError(
        f"Hydra does not allow {name} outside quotes", position, "put the value in quotes that reach Hydra: key='\"…\"'"
    )
