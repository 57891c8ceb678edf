"""Folds that are written by hand become fewer, never more: a shape says both directions at once."""

from __future__ import annotations

from scripts.hand_written_folds import hand_written_folds

MOST = 133
"""Lower it with every fold that becomes a declaration."""


def test_no_further_fold_is_written_by_hand() -> None:
    folds = list(hand_written_folds())
    assert len(folds) <= MOST, "a new fold: say it with rftconf/mappers/shapes.py, or with a new shape there"
