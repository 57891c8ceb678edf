"""Words in sentences: some by name, the others by number."""

from __future__ import annotations

import pytest

from rftconf.base.enumeration import enumerate_words


@pytest.mark.parametrize(
    ("words", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c", "d"], "a, b and 2 more")]
)
def test_the_first_are_named(words: list[str], text: str) -> None:
    assert enumerate_words(words, 2) == text
