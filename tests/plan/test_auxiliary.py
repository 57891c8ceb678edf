"""GPUs of reward models, judges and helpers: whose they are, and who shares them."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.symbols import Var
from rftconf.plan.auxiliary import own_pools, place_auxiliary, sharing
from rftconf.plan.origin import Origin
from rftconf.plan.placement import colocate

P = "stage.placement."


def values(*models: dict[str, Any]) -> dict[str, Any]:
    return {f"{P}auxiliary[{i}].{field}": value for i, model in enumerate(models) for field, value in model.items()}


JUDGE = {"role": "judge", "own_pool": True, "gpus": 4}


@pytest.mark.parametrize(
    ("models", "own"),
    [
        ((), 0),
        ((JUDGE,), 4),
        ((JUDGE, {**JUDGE, "role": "reward", "gpus": 2}), 6),
        (({**JUDGE, "own_pool": False},), 0),
        (({**JUDGE, "role": "helper"},), 0),
        (({**JUDGE, "gpus": Var("N")},), 0),
    ],
)
def test_what_scores_and_shares_nothing_has_a_pool(models: tuple[dict[str, Any], ...], own: int) -> None:
    assert own_pools(values(*models)) == own


def test_a_model_without_a_number_of_gpus_gets_one_engine() -> None:
    new_values, origins = values({"role": "reward", "tp": 2, "pp": 2}, JUDGE), dict[str, Origin]()
    assert place_auxiliary(new_values, origins) == 8
    assert new_values[f"{P}auxiliary[0].gpus"] == 4
    assert origins[f"{P}auxiliary[0].gpus"].how == "one engine"


def test_who_shares_is_said_in_words() -> None:
    assert sharing({}, 8) == "all 8 GPUs between engines and trainer"
    assert sharing(values({**JUDGE, "own_pool": False}), 8) == "all 8 GPUs between engines, trainer and further models"
    assert (
        sharing(values(JUDGE), 12) == "8 of 12 GPUs between engines and trainer and gives further models 4 of their own"
    )


@pytest.mark.parametrize(("update", "gpus", "is_asked"), [(64, 16, False), (24, 8, True)])
def test_engines_and_trainer_come_together_beside_a_pool(update: int, gpus: int, is_asked: bool) -> None:
    """Of 3 nodes one is the judge's: the cluster stays as it is, and the policy never takes a GPU of it."""
    run = values({**JUDGE, "gpus": 8}) | {
        "cluster.nodes": 3,
        "cluster.gpus_per_node": 8,
        "stage.batch.sequences_per_update": update,
    }
    decisions = colocate(run, {})
    assert run[P + "actor.gpus"] == run[P + "rollout.gpus"] == gpus
    assert run["cluster.nodes"] == 3
    assert [decision.key for decision in decisions] == [P + "actor.gpus"] * is_asked
