"""Paths and the patterns they fit."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from rftconf.mappers.paths import fits, path_of, without_indices

TEXT = st.text("ab.[]*?", max_size=8)


@given(TEXT, TEXT)
def test_fits_is_fnmatchcase(path: str, pattern: str) -> None:
    assert fits(path, pattern) == fnmatchcase(path, pattern)


def test_a_lambda_names_a_path() -> None:
    assert path_of(lambda c: c.data.train_batch_size) == "data.train_batch_size"
    assert without_indices("tasksets[10].path") == "tasksets[].path"
