"""Scalars as YAML text that PyYAML (1.1), OmegaConf and YAML 1.2 loaders all read as the same value."""

from __future__ import annotations

import math
import re

# A letter, `/`, `_`, `~/` or `${` first: no loader takes such a text for a number, a date or a merge key.
_PLAIN = re.compile(r"(?:[A-Za-z_/]|~/|\$\{)(?:[\w/.@+\-~$%=|*;()]|:(?=\S)|,| (?=\S))*(?<![: ])", re.ASCII)
_PLAIN_IN_FLOW = re.compile(r"[A-Za-z_/][\w/.@+\-]*", re.ASCII)
_INTERPOLATED = re.compile(r"\$\{[A-Za-z_][\w.]*(?::[\w/.@+\-,]*)?\}", re.ASCII)
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\", "\0": "\\0", "\x1b": "\\e"}


def scalar(value: None | bool | int | float | str, *, flow: bool = False) -> str:
    """One line of YAML text for `value`; `flow` when it stands inside `[...]` or `{...}`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    return string(value, flow=flow)


def string(value: str, *, flow: bool = False) -> str:
    """Plain where every loader agrees that it is a string, else quoted."""
    if is_plain(value, flow=flow):
        return value
    quote = "'" if value.isprintable() else '"'
    return f"{quote}{within_quotes(value, quote)}{quote}"


def within_quotes(value: str, quote: str) -> str:
    """A text as it stands between single or double quotes; a line break or a control character asks for double ones."""
    return value.replace("'", "''") if quote == "'" else "".join(_escaped(c) for c in value)


def literal_block(value: str) -> list[str] | None:
    """The indicator and the lines of a `|` block for a text of several lines, or None where quotes are safer."""
    body = value.removesuffix("\n")
    lines = body.split("\n")
    if len(lines) < 2 or not lines[0] or lines[0].startswith(" ") or not lines[-1]:
        return None
    if not all(line.isprintable() and line == line.rstrip() for line in lines):
        return None
    return ["|" if value.endswith("\n") else "|-", *lines]


def is_plain(value: str, *, flow: bool = False) -> bool:
    """True when `value` needs no quotes for any loader."""
    if value == "???":
        return not flow  # inside brackets PyYAML takes the first mark for a key's
    if value.lower() in _WORDS:
        return False
    if flow:
        return _PLAIN_IN_FLOW.fullmatch(value) is not None
    bare = _INTERPOLATED.sub("x", value) if "${" in value else value
    return _PLAIN.fullmatch(bare) is not None and "$" not in bare


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    # PyYAML reads `1e-06` as a string: it wants the point.
    mantissa, mark, exponent = text.partition("e")
    return text if "." in mantissa or not mark else f"{mantissa}.0e{exponent}"


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
