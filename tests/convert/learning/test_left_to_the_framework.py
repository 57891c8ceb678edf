"""A number that a framework takes without a key stands in the list of what changes the learning, as in the notes."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Options, convert_loaded
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.convert.learning.test_memory_changes import QWEN, VERL


@pytest.mark.parametrize(("release", "seed"), [("0.5.0", "1"), ("0.7.1", "67280421310721")])
def test_the_order_of_rows_has_a_seed_though_nobody_names_one(release: str, seed: str) -> None:
    """main_ppo up to 0.5 seeds the sampler with 1 where data.seed is null; later a generator that nobody seeded draws."""
    document = read(Source("run.sh", VERL.format(model=QWEN)))
    loaded = load(document, framework="verl", release=release)
    says = [change.says for change in convert_loaded(loaded, "trinity", Options()).ledger.learning]
    assert any(line.startswith(f"The order of rows (seed): {seed} in the source, 42 here") for line in says)
    assert not any("not set in the source" in line and "seed" in line for line in says)
