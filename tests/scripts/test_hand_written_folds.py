"""Folds that are written by hand become fewer, never more: a shape says both directions at once."""

from __future__ import annotations

import importlib
import sys

import pytest

from tests.sources import ROOT

MOST = 117
"""Lower it with every fold that becomes a declaration."""


def test_no_further_fold_is_written_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    folds = list(importlib.import_module("hand_written_folds").hand_written_folds())
    assert len(folds) <= MOST, "a new fold: say it with rftconf/mappers/shapes.py, or with a new shape there"
