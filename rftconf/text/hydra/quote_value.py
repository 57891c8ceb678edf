"""Values as Hydra's override grammar reads them. What comes out is text with holes where the symbols were."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TypeAlias

from rftconf.base.errors import RefusedError
from rftconf.base.record import record
from rftconf.base.symbols import Expr, Now, Text, Value, text

Pieces: TypeAlias = tuple["str | Expr", ...]
Scalar: TypeAlias = None | bool | int | float | str

_BARE = re.compile(r"(?:[A-Za-z_/]|\.{1,2}/)(?:[\w/.+%*@?|:\-]*[\w/.+%*@?|\-])?", re.ASCII)
"""A dotlist's values are YAML, which takes a text that ends in a colon for a key."""
_BARE_AROUND_SYMBOLS = re.compile(r"[\w/.+%*@?|:\-]*", re.ASCII)
_NOT_TEXT = frozenset({"true", "false", "null", "inf", "nan"})
"""Words that Hydra takes for something other than text; YAML takes these and the truths below so."""
_TRUTHS_OF_YAML = frozenset({"yes", "no", "on", "off"})
_BARE_KEY = re.compile(r"[A-Za-z_][\w/.+%*@?|\-]*", re.ASCII)
_ESCAPABLE_IN_KEY = re.compile(r"[\\()\[\]{}:=, ]")
_KEY_TEXT = re.compile(r"[\w/.+$%*@?|\-\\()\[\]{}:=, ]+", re.ASCII)


def hydra_value(value: Value) -> Pieces:
    """`value` as the right side of `key=value`. Raises RefusedError for a mapping key that Hydra cannot write."""
    written = text(*pieces(value, HYDRA))
    if isinstance(written, str):
        return (written,)
    return written.parts if isinstance(written, Text) else (written,)


@record
class Quoting:
    """A grammar's writing of what has no parts, of a mapping's key, and of text with symbols in it."""

    scalar: Callable[[Scalar], str]
    key: Callable[[str], str]
    around_symbols: Callable[[tuple[str | Expr, ...]], Pieces]


def pieces(value: Value, quoting: Quoting) -> Pieces:
    """`value` in a grammar's quotes, lists and mappings in its brackets."""
    match value:
        case Now():
            return (quoting.scalar(_clock(value)),)
        case Text(parts) if any(isinstance(part, Now) for part in parts):
            return pieces(text(*(_clock(part) if isinstance(part, Now) else part for part in parts)), quoting)
        case Text(parts):
            return quoting.around_symbols(parts)
        case Expr():
            return (value,)
        case list():
            return ("[", *_joined([pieces(item, quoting) for item in value]), "]")
        case dict():
            entries = [(f"{quoting.key(key)}: ", *pieces(item, quoting)) for key, item in value.items()]
            return ("{", *_joined(entries), "}")
    return (quoting.scalar(value),)


def _scalar(value: Scalar) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value) if math.isfinite(value) else str(value)
        case str():
            return _string(value)
    return str(value)


def _clock(value: Now) -> str:
    """The time as Hydra itself tells it, the same in every key of one run."""
    return f"${{now:{value.form}}}"


def _joined(items: list[Pieces]) -> Pieces:
    return tuple(piece for index, item in enumerate(items) for piece in ((", ", *item) if index else item))


def _string(value: str) -> str:
    if value == "???" or (_BARE.fullmatch(value) and value.lower() not in _NOT_TEXT | _TRUTHS_OF_YAML):
        return value
    quote = '"' if "'" in value and '"' not in value else "'"
    return f"{quote}{_escaped(value, quote, closes=True)}{quote}"


def _around_symbols(parts: tuple[str | Expr, ...]) -> Pieces:
    known = [part for part in parts if isinstance(part, str)]
    if all(_BARE_AROUND_SYMBOLS.fullmatch(part) for part in known):
        return parts
    last = len(parts) - 1
    inside = (
        _escaped(part, "'", closes=index == last) if isinstance(part, str) else part for index, part in enumerate(parts)
    )
    return ("'", *inside, "'")


def _escaped(value: str, quote: str, *, closes: bool) -> str:
    """Backslashes count in a quoted Hydra value only before a quote, so only there they are doubled."""
    end = r"|(\\+)$(?![\n])" if closes else ""
    return re.sub(
        rf"(\\*){quote}{end}",
        lambda m: m[2] * 2 if closes and m[2] else f"{m[1] * 2}\\{quote}",
        value,
    )


def _key(key: str) -> str:
    if _BARE_KEY.fullmatch(key) and key.lower() not in _NOT_TEXT:
        return key
    escaped = _ESCAPABLE_IN_KEY.sub(lambda m: "\\" + m[0], key)
    if not _KEY_TEXT.fullmatch(key) or key != key.strip() or _reads_as_other(key):
        raise RefusedError(
            f"the mapping key {key!r} cannot be written as a Hydra override", choices=("write YAML instead: --as yaml",)
        )
    return escaped


def _reads_as_other(key: str) -> bool:
    if key.lower() in _NOT_TEXT:
        return True
    try:
        float(key)
    except ValueError:
        return False
    return True


HYDRA = Quoting(_scalar, _key, _around_symbols)
"""Hydra's grammar of overrides."""
