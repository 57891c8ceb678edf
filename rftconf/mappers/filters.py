"""Filters of groups of answers, for frameworks that have one."""

from __future__ import annotations

from collections.abc import Callable

from rftconf.base.ledger import State
from rftconf.mappers.context import WriteContext
from rftconf.mappers.shapes import known_below, lose_known


def first_filter(w: WriteContext, acts: Callable[[str], bool], otherwise: str) -> str | None:
    """Return the prefix of the filter that a framework with one filter has, if that `acts`; all others are lost."""
    block, first = "stage.algorithm.filters", None
    for index in range(w.items(block)):
        prefix = f"{block}[{index}]."
        if index == 0 and acts(prefix):
            first = prefix
        else:
            lose_known(w, State.NO_COUNTERPART, otherwise, *known_below(w, prefix))
    return first
