"""The promised accuracy on the measured rows, as `python -m benches.budget_accuracy` prints it."""

from __future__ import annotations

import pytest

from benches.budget_accuracy import PEERS, judged

FOUND = [row_judged for row_judged in judged() if row_judged.row.peak]


def test_mean_and_worst_error() -> None:
    errors = [abs(row_judged.error) for row_judged in FOUND]
    assert len(errors) == 24
    assert sum(errors) / len(errors) <= 0.06
    assert max(errors) <= 0.12


def test_dense_reinforcement_learning_rows() -> None:
    dense = [abs(row_judged.error) for row_judged in FOUND if row_judged.row.dense and row_judged.row.kind == "rl"]
    assert len(dense) == 6
    assert max(dense) <= 0.03


@pytest.mark.parametrize("entry", FOUND, ids=lambda entry: entry.row.label)
def test_the_interval_covers_every_under_prediction(entry: object) -> None:
    from benches.budget_accuracy import Judged

    assert isinstance(entry, Judged)
    assert entry.row.peak is not None
    assert entry.error > -0.02 or entry.account_gib + entry.doubt >= entry.row.peak


def test_the_same_configuration_differs_by_date() -> None:
    """One GPU, 65,536 tokens: 19.6 GiB in January, 11.7 GiB in June."""
    same = {
        row_judged.row.job.implementation.since: row_judged.account_gib
        for row_judged in FOUND
        if " full 1× 65536 " in row_judged.row.label
    }
    assert len(same) == 2
    assert max(same.values()) > 1.4 * min(same.values())


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.__name__)
def test_no_peers_formula_is_as_near(peer: object) -> None:
    assert callable(peer)
    off = [abs(peer(row_judged.row.job) / row_judged.row.peak - 1) for row_judged in FOUND if row_judged.row.peak]
    assert sum(off) / len(off) > 0.3
