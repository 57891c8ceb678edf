"""GPUs of OpenRLHF's groups: as many on each node as divide them."""

from __future__ import annotations

import pytest

from rftconf.mappers.openrlhf.folds_places import nodes_for


@pytest.mark.parametrize(
    ("gpus", "each", "nodes", "per"),
    [
        (16, 8, 2, 8),
        (8, 8, 1, 8),
        (4, 8, 1, 4),
        (12, 8, 2, 6),
        (7, 4, 7, 1),
        (10**18 + 9, 8, 10**18 + 9, 1),
        (2**60, 2**40, 2**50, 1024),
    ],
)
def test_nodes_are_the_fewest_that_divide_the_gpus(gpus: int, each: int, nodes: int, per: int) -> None:
    """Also of a number that only it and 1 divide, and that nobody has: the search has an end."""
    assert nodes_for(gpus, None, each)[:2] == (nodes, per)
