"""Text to shell source and back: `$'...'` escapes, and quoting of values that are written again."""

from __future__ import annotations

import re

from rftconf.base.symbols import Arith, Branch, Expr, ShellOnly, Text, Value, Var, formula

_ESCAPE = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))"
)
_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_BYTE = 0xDC00
"""A byte beyond ASCII is this surrogate and its number until its neighbours are known, as Python has bytes that are no UTF-8."""
_BYTES = re.compile(f"[{chr(_BYTE + 0x80)}-{chr(_BYTE + 0xFF)}]+")
_END = re.compile(r"(?:[^'\\]|\\.)*'", re.DOTALL)
_SPECIAL = re.compile(r"([\\\"$`])")


def ansi_c(text: str, start: int) -> tuple[str, int]:
    """The value of `$'...'` whose content begins at `start`, and the offset behind it (-1: never closed)."""
    match = _END.match(text, start)
    if match is None:
        return "", -1
    escaped = _ESCAPE.sub(_unescape, text[start : match.end() - 1])
    # bash writes bytes, and whoever reads them takes them for UTF-8
    return _BYTES.sub(
        lambda run: bytes(ord(c) - _BYTE for c in run[0]).decode("utf-8", "surrogateescape"), escaped
    ), match.end()


def _unescape(match: re.Match[str]) -> str:
    named, hexa, octal, short, long = match.groups()
    if named is not None:
        return _NAMED.get(named, named)
    if hexa is not None or octal is not None:
        byte = int(hexa, 16) if hexa is not None else int(octal, 8) & 0xFF
        return chr(byte if byte < 0x80 else _BYTE + byte)
    code = int(short or long, 16)
    return chr(code) if code < 0x110000 else ""


def double_quoted(value: Value) -> str:
    """Shell source that yields `value` when it stands inside double quotes; known text is escaped."""
    match value:
        case str():
            return _SPECIAL.sub(r"\\\1", value)
        case Text(parts):
            return "".join(double_quoted(p) for p in parts)
        case Branch(condition, then, otherwise):
            yes, no = double_quoted(then), double_quoted(otherwise)
            return f'$(if {condition}; then printf %s "{yes}"; else printf %s "{no}"; fi)'
        case Var(name):
            return f"${{{name}}}"
        case ShellOnly(source, _):
            return source
        case Arith():
            return f"$(({formula(value)}))"
    return str(value)


def as_word(value: str | Expr) -> str:
    """One shell word with this value, quoted only where it must be."""
    if isinstance(value, str) and re.fullmatch(r"[\w./:=@%+,-]+", value):
        return value
    return f'"{double_quoted(value)}"'


def negated(condition: str) -> str:
    """Shell source that holds exactly when `condition` does not."""
    if re.fullmatch(r"(?:\[\[ [^;&|]* \]\]|\[ [^;&|]* \])", condition):
        return f"! {condition}"
    if condition.startswith("! ") and re.fullmatch(r"(?:\[\[ [^;&|]* \]\]|\[ [^;&|]* \])", condition[2:]):
        return condition[2:]
    if condition.startswith("! { ") and condition.find("; }") == len(condition) - 3:
        return condition[4:-3]
    return f"! {{ {condition}; }}"


def conjunction(conditions: list[str]) -> str:
    """All of `conditions`, as one condition."""
    return " && ".join(c if "||" not in c else f"{{ {c}; }}" for c in conditions)
