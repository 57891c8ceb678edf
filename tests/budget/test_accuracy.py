"""The promised accuracy on the measured rows, as `python -m benches.budget_accuracy` prints it."""

from __future__ import annotations

import pytest

from benches.budget_accuracy import PEERS, judged

FOUND = [one for one in judged() if one.row.peak]


def test_mean_and_worst_error() -> None:
    errors = [abs(one.error) for one in FOUND]
    assert len(errors) == 24
    assert sum(errors) / len(errors) <= 0.06
    assert max(errors) <= 0.12


def test_dense_reinforcement_learning_rows() -> None:
    dense = [abs(one.error) for one in FOUND if one.row.dense and one.row.kind == "rl"]
    assert len(dense) == 6
    assert max(dense) <= 0.03


@pytest.mark.parametrize("one", FOUND, ids=lambda one: one.row.label)
def test_the_interval_covers_every_under_prediction(one: object) -> None:
    from benches.budget_accuracy import Judged

    assert isinstance(one, Judged)
    assert one.row.peak is not None
    assert one.error > -0.02 or one.said + one.doubt >= one.row.peak


def test_the_same_configuration_differs_by_date() -> None:
    """One GPU, 65,536 tokens: 19.6 GiB in January, 11.7 GiB in June."""
    same = {one.row.job.implementation.since: one.said for one in FOUND if " full 1× 65536 " in one.row.label}
    assert len(same) == 2
    assert max(same.values()) > 1.4 * min(same.values())


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.__name__)
def test_no_peers_formula_is_as_near(peer: object) -> None:
    assert callable(peer)
    off = [abs(peer(one.row.job) / one.row.peak - 1) for one in FOUND if one.row.peak]
    assert sum(off) / len(off) > 0.3
