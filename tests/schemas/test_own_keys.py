"""A framework's config is told by its keys: by enough of them, and by more than a twentieth of what the file holds."""

from __future__ import annotations

import pytest

from rftconf.schemas import own_keys
from rftconf.schemas.guess import guess

TAKEN = ("data.train_batch_size", "data.val_batch_size")


@pytest.mark.parametrize(("others", "is_one"), [(0, True), (30, True), (100, False)])
def test_a_file_of_somebodys_own_keys_is_no_config(others: int, is_one: bool) -> None:
    """A launcher's own settings may have a section `data`, as may any program's."""
    keys = [*TAKEN, *(f"hyperparam.number_{n}" for n in range(others))]
    assert own_keys.knows(guess(dict.fromkeys(keys), overrides=False), keys, 2) is is_one


def test_names_that_everybody_uses_are_not_enough() -> None:
    keys = ["output_dir", "seed", "max_steps"]
    assert not own_keys.knows(guess(dict.fromkeys(keys), overrides=False), keys, 2)
