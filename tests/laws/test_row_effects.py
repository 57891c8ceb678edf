"""A key does to a conversion what it is kept to do: a row with another unit, factor, word, default or condition does not.

Read the difference before you accept it: `make effects` writes the files anew.
"""

from __future__ import annotations

import pytest

from tests.laws.row_effects import PAIRS, effect, kept


@pytest.mark.parametrize(("framework", "to"), PAIRS)
def test_a_key_does_what_it_is_kept_to_do(framework: str, to: str) -> None:
    second = {str(flip): (values, now) for flip, values in kept(framework, to) if values != (now := effect(flip))}
    assert second == {}
