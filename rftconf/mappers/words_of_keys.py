"""The words that a key may be, where it is one of a few."""

from __future__ import annotations

from typing import Any

from rftconf.mappers import codecs
from rftconf.mappers.context import WriteContext
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import Row, Table
from rftconf.schemas.catalogue import Catalogue

_MOST_WORDS = 16
"""Words that are listed; of more, a list would say little."""


def words_of_keys(known: Catalogue, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the first of some keys may be that is one of a few words."""
    for name in keys:
        key = known.get(name)
        words = tuple(map(str, key.choices)) if key is not None and key.choices else known.names(name)
        if 0 < len(words) <= _MOST_WORDS:
            return words
    return ()


def words_taken(table: Table, writing: WriteContext, path: str) -> tuple[str, ...]:
    """Return the native words that a plan field may become in what is being written, where its row has a list of them."""
    rows = [table.rows[index] for index in table.feeding.get(without_indices(path), ())]
    known = [row.codec for row in rows if isinstance(row, Row) and isinstance(row.codec, codecs.words)]
    taken = [
        native for codec in known[:1] for native, word in codec.table.items() if _takes(codec, native, word, writing)
    ]
    return tuple(taken)


def own_word(table: Table, path: str, value: object) -> object:
    """Return the native value that stands for a plan value which the framework calls otherwise; None where it is the same."""
    rows = [table.rows[index] for index in table.feeding.get(without_indices(path), ())]
    known = [row.codec for row in rows if isinstance(row, Row) and isinstance(row.codec, codecs.renamed)]
    return next((codec.back[value] for codec in known if value in codec.back), None)


def _takes(codec: codecs.words[Any, Any], native: object, word: object, writing: WriteContext) -> bool:
    return isinstance(native, str) and codec.put(word, writing, None).value == native


def words_of_field(table: Table, path: str) -> tuple[str, ...]:
    """Return the native words for a plan field, where its row has a list of them."""
    rows = [table.rows[index] for index in table.feeding.get(without_indices(path), ())]
    lists = [row.codec.table for row in rows if isinstance(row, Row) and isinstance(row.codec, codecs.words)]
    return tuple(word for word in lists[0] if isinstance(word, str)) if lists else ()
