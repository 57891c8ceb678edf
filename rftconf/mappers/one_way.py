"""Folds of a framework that is read and never written."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rows import Fold


def one_way(read: Callable[[ReadContext], None], *plans: str, why: str, natives: tuple[str, ...] = ()) -> Fold:
    """Make a fold with one function, with which no other has to agree."""
    return Fold(natives, plans, read, _never_written, why)


def _never_written(writing: WriteContext) -> None:
    """Refuse a writing that `refuse_unwritten` should have stopped, so that no plan field is lost in silence."""
    raise NotImplementedError(f"no config of {writing.framework} is written")
