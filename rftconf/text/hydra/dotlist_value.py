"""Values as an OmegaConf dotlist reads them: YAML on one line, with holes where the symbols are."""

from __future__ import annotations

import re

from rftconf.base.symbols import Expr, Now, Text, Value, text
from rftconf.text.hydra.quote_value import Pieces, clock, joined
from rftconf.text.yaml.quote_scalar import scalar, string, within_quotes

_BARE_AROUND_SYMBOLS = re.compile(r"[\w/.+@\-]*", re.ASCII)


def dotlist_value(value: Value) -> Pieces:
    """`value` as the right side of `key=value`. Unlike Hydra, YAML folds a line break in single quotes to a blank."""
    return ("???",) if value == "???" else _pieces(value)


def _pieces(value: Value) -> Pieces:
    match value:
        case Now():
            return (string(clock(value), flow=True),)
        case Text(parts) if any(isinstance(part, Now) for part in parts):
            return _pieces(text(*(clock(part) if isinstance(part, Now) else part for part in parts)))
        case Text(parts):
            return _around_symbols(parts)
        case Expr():
            return (value,)
        case list():
            return ("[", *joined([_pieces(item) for item in value]), "]")
        case dict():
            entries = [(f"{string(key, flow=True)}: ", *_pieces(item)) for key, item in value.items()]
            return ("{", *joined(entries), "}")
    return (scalar(value, flow=True),)


def _around_symbols(parts: tuple[str | Expr, ...]) -> Pieces:
    known = [part for part in parts if isinstance(part, str)]
    if all(_BARE_AROUND_SYMBOLS.fullmatch(part) for part in known):
        return parts
    quote = "'" if all(part.isprintable() for part in known) else '"'
    inside = (within_quotes(part, quote) if isinstance(part, str) else part for part in parts)
    return (quote, *inside, quote)
