"""Text with unknown parts that is read as a script: each unknown part stands in it as one private character."""

from __future__ import annotations

import re

from rftconf.base.symbols import Expr, Text, text
from rftconf.text.shell.parse.quoting import double_quoted

_FIRST, _LAST = 0xF0000, 0xFFFFD
_HOLE = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")


def punched(value: str | Expr) -> tuple[str, tuple[Expr, ...]]:
    """The text of `value` with a private character for each unknown part, and these parts in order."""
    if isinstance(value, str):
        return value, ()
    written: list[str] = []
    holes: list[Expr] = []
    for part in value.parts if isinstance(value, Text) else (value,):
        if isinstance(part, str):
            written.append(_HOLE.sub("\ufffd", part))
        elif len(holes) <= _LAST - _FIRST:
            written.append(chr(_FIRST + len(holes)))
            holes.append(part)
    return "".join(written), tuple(holes)


def filled(written: str, holes: tuple[Expr, ...]) -> str | Expr:
    """`written` with the unknown parts back in their places."""
    if not holes or _HOLE.search(written) is None:
        return written
    parts: list[str | Expr] = []
    offset = 0
    for match in _HOLE.finditer(written):
        parts += [written[offset : match.start()], holes[ord(match[0]) - _FIRST]]
        offset = match.end()
    return text(*parts, written[offset:])


def as_source(written: str, holes: tuple[Expr, ...]) -> str:
    """`written` as shell source: the unknown parts as what gives their values."""
    if not holes:
        return written
    return _HOLE.sub(lambda match: double_quoted(holes[ord(match[0]) - _FIRST]), written)
