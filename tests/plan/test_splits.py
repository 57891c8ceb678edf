"""Every split that is proposed is legal, none is left out, and the best comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.plan.splits import Demand, feasible_splits, on_whole_nodes

demands = st.builds(
    Demand,
    nodes=st.integers(1, 8),
    gpus_per_node=st.sampled_from([1, 2, 4, 8]),
    engine_gpus=st.sampled_from([1, 2, 4, 8]),
    auxiliary_gpus=st.sampled_from([0, 0, 1, 2, 8]),
    update=st.none() | st.integers(1, 64).map(lambda n: n * 8),
    rank_gpus=st.sampled_from([1, 2, 4]),
    expert_gpus=st.sampled_from([1, 1, 4, 16]),
    node_of_both=st.booleans(),
)


@given(demands)
def test_splits_use_all_gpus_and_feed_every_rank(demand: Demand) -> None:
    for split in feasible_splits(demand):
        assert split.trainer + split.rollout + split.auxiliary == demand.total
        assert split.rollout == split.engines * demand.engine_gpus >= demand.engine_gpus
        assert split.trainer % demand.rank_gpus == 0
        assert split.trainer % demand.expert_gpus == 0
        assert on_whole_nodes(split.trainer, demand)
        assert demand.update is None or demand.update % (split.trainer // demand.rank_gpus) == 0


@given(demands)
def test_no_legal_split_is_left_out(demand: Demand) -> None:
    names = {split.rollout for split in feasible_splits(demand)}
    for rollout in range(1, demand.total):
        trainer = demand.total - rollout - demand.auxiliary_gpus
        legal = (
            rollout % demand.engine_gpus == 0
            and trainer > 0
            and trainer % demand.rank_gpus == 0
            and trainer % demand.expert_gpus == 0
            and on_whole_nodes(trainer, demand)
            and (demand.update is None or demand.update % (trainer // demand.rank_gpus) == 0)
        )
        assert (rollout in names) == legal


@given(demands)
def test_the_best_split_is_the_most_even_one(demand: Demand) -> None:
    uneven = [abs(2 * split.trainer - demand.total) for split in feasible_splits(demand)]
    assert uneven == sorted(uneven)


@pytest.mark.parametrize(
    ("trainer", "nodes", "node_of_both", "legal"),
    [(8, 2, True, True), (5, 2, True, True), (12, 2, True, False), (5, 1, False, True), (5, 2, False, False), (16, 3, False, True)],
)  # fmt: skip
def test_h22_a_trainer_takes_whole_nodes(trainer: int, nodes: int, node_of_both: bool, legal: bool) -> None:
    demand = Demand(nodes, 8, 1, 0, None, 1, node_of_both=node_of_both)
    assert on_whole_nodes(trainer, demand) is legal
