"""ROLL's reinforce with whitened advantages is what the other frameworks call reinforce++."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from tests.mappers.roll_runs import from_roll, to_roll

PLAIN = {"adv_estimator": "reinforce", "norm_mean_type": None, "norm_std_type": None}
EST = "algorithm.adv_estimator"


def test_whitened_returns_without_normalised_rewards_are_reinforce_plus_plus() -> None:
    """functionals.compute_reinforce_return, masked_whiten; core_algos.compute_reinforce_plus_plus_outcome_advantage."""
    run = from_roll({**PLAIN, "whiten_advantages": True})
    assert run.plan("stage.algorithm.advantage") == "reinforce_pp"
    assert run.out[EST] == "reinforce_plus_plus"
    assert not [decision for decision in run.conversion.ledger.decisions if decision.key == EST]


@pytest.mark.parametrize("whitens", [False, "${oc.env:WHITENS}"])
def test_plain_returns_stay_plain(whitens: object) -> None:
    run = from_roll({**PLAIN, "whiten_advantages": whitens})
    assert run.plan("stage.algorithm.advantage") == "reinforce"


def test_normalised_rewards_are_said_to_be_near_alone() -> None:
    run = from_roll({**PLAIN, "norm_mean_type": "batch", "norm_std_type": "batch"})
    assert run.plan("stage.algorithm.advantage") == "reinforce_pp"
    assert any("rewards are normalised over the batch" in note for note in run.conversion.ledger.notes)


def test_reinforce_plus_plus_is_written_with_whitened_advantages_and_rewards_as_they_are() -> None:
    run = to_roll({EST: "reinforce_plus_plus"})
    assert (run.out["adv_estimator"], run.out["whiten_advantages"]) == ("reinforce", True)
    assert run.out.get("norm_mean_type") is None
    assert run.out.get("norm_std_type") is None
    (line,) = (line for line in run.conversion.ledger.sources if line.key == EST)
    assert line.state in (State.EXACT, State.DERIVED)
