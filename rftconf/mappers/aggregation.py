"""A policy loss becomes one number by one of a few words, for frameworks that divide a sum by the padded length alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rftconf.base.ledger import State
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import settle

AGG, TOKENS = "stage.algorithm.loss_agg", "stage.algorithm.loss_agg_tokens"
SUMMED = "seq-mean-token-sum-norm"
"""Sums over a fixed length, here the padded length of an answer."""


def read_aggregation(r: ReadContext, mode: Any, *keys: str, padded_by: str) -> None:
    """Set how tokens become one number, and what a sum is divided by; `padded_by` is the key of that length."""
    sums = mode == SUMMED
    r.set(AGG, "sum-over-len" if sums else mode, *keys)
    r.set(TOKENS, r.plan("stage.length.response_max_tokens") if sums else None, padded_by)


def write_aggregation(w: WriteContext, title: str, keys: Mapping[str, str], larger_by: str) -> None:
    """Write the word under each key, with how it comes there, for a framework called `title`.

    `larger_by`: by what gradients are larger than those of the plan's word with the same native name.
    """
    renamed = {
        "sum-over-len": (SUMMED, ""),
        "seq-mean-sum-over-len": (
            SUMMED,
            f"the same name does not divide by the number of sequences here: gradients are larger by {larger_by} (H61)",
        ),
        "token-sum": ("token-mean", f"{title} has no token-sum"),
    }
    agg, tokens = w.plan(AGG), w.plan(TOKENS)
    if agg is not None:
        mode, note = renamed.get(agg, (agg, "")) if isinstance(agg, str) else (agg, "")
        for key, how in keys.items():
            w.put(key, mode, AGG, note=note, always=True, how=how)
    if tokens is not None:
        padded = tokens == w.plan("stage.length.response_max_tokens")
        other = f"{title} divides by the padded response length, no other number"
        settle(w, TOKENS, padded, "the padded response length", other, state=State.NO_COUNTERPART)
