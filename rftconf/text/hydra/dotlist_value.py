"""Values as an OmegaConf dotlist reads them: YAML on one line, with holes where the symbols are."""

from __future__ import annotations

import re
from functools import partial

from rftconf.base.symbols import Expr, Value
from rftconf.text.hydra.quote_value import Pieces, Quoting, pieces
from rftconf.text.yaml.quote_scalar import scalar, string, within_quotes

_BARE_AROUND_SYMBOLS = re.compile(r"[\w/.+@\-]*", re.ASCII)


def dotlist_value(value: Value) -> Pieces:
    """`value` as the right side of `key=value`. Unlike Hydra, YAML folds a line break in single quotes to a blank."""
    return ("???",) if value == "???" else pieces(value, _YAML)


def _around_symbols(parts: tuple[str | Expr, ...]) -> Pieces:
    known = [part for part in parts if isinstance(part, str)]
    if all(_BARE_AROUND_SYMBOLS.fullmatch(part) for part in known):
        return parts
    quote = "'" if all(part.isprintable() for part in known) else '"'
    inside = (within_quotes(part, quote) if isinstance(part, str) else part for part in parts)
    return (quote, *inside, quote)


_YAML = Quoting(partial(scalar, flow=True), partial(string, flow=True), _around_symbols)
