"""Which GPUs hold what, and layouts that each framework refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rftconf.budget.roles.layout_rules import problems, whole_and_split
from rftconf.budget.roles.pools import Pool, pools
from rftconf.budget.roles.roles import Setup
from rftconf.budget.terms.training_job import MegatronSizes
from tests.budget.runs import apart, colocated, golden, setup


def drawn(run: Setup) -> list[tuple[int, int, tuple[str, ...]]]:
    return [(pool.first, pool.count, pool.roles) for pool in pools(run)]


def of(framework: str, run: Setup | None = None, **changes: Any) -> list[str]:
    return [p.message for p in problems(replace(run or setup(), framework=framework, **changes))]


def test_colocated_roles_share_every_gpu() -> None:
    assert drawn(setup()) == [(0, 8, ("actor", "rollout"))]


def test_engines_apart_take_the_first_gpus_and_a_trainer_of_whole_nodes_the_last() -> None:
    assert drawn(setup(apart(nodes=2, engines=4))) == [(0, 8, ("rollout",)), (8, 8, ("actor", "reference"))]


def test_a_trainer_smaller_than_its_engines_shares_part_of_them() -> None:
    run = setup()
    smaller = run.with_actor(gpus=4)
    assert drawn(smaller) == [(0, 4, ("actor", "rollout")), (4, 4, ("rollout",))]


def test_every_gpu_is_drawn_once_at_most() -> None:
    for name in ("grpo-guide", "ppo-guide-back", "multi-node", "separate-async", "megatron-back", "run-ahead"):
        run = setup(golden(name))
        observed: list[int] = []
        for pool in pools(run):
            assert isinstance(pool, Pool)
            observed += range(pool.first, pool.first + pool.count)
        assert len(observed) == len(set(observed)), name
        assert max(observed) < run.total, name


def test_good_layouts_have_no_problem() -> None:
    for name in ("grpo-guide", "multi-node", "megatron-moe", "separate-async", "lora"):
        assert problems(setup(golden(name))) == (), name


@pytest.mark.parametrize(
    ("key", "says", "nearest"),
    [
        (
            "actor_rollout_ref.rollout.tensor_model_parallel_size=3",
            "8 GPUs are not a whole number of engines of 3",
            "engines of 2 GPUs",
        ),
        (
            "actor_rollout_ref.rollout.tensor_model_parallel_size=8",
            "28 attention heads are not divisible by TP 8",
            "TP 7",
        ),
        (
            "actor_rollout_ref.actor.ulysses_sequence_parallel_size=8",
            "28 attention heads cannot be divided by",
            "size 7",
        ),
        ("actor_rollout_ref.actor.ulysses_sequence_parallel_size=3", "8 GPUs cannot be divided by", "size 2"),
    ],
)
def test_sizes_that_do_not_divide(key: str, says: str, nearest: str) -> None:
    new_problems = [p for p in problems(setup(colocated(key))) if says in p.message]
    assert len(new_problems) == 1
    assert any(nearest in legal for legal in new_problems[0].nearest)


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        (MegatronSizes(tp=3), "8 GPUs are not divisible by TP × PP × CP = 3"),
        (MegatronSizes(tp=8), "28 attention heads are not divisible by TP = 8"),
        (MegatronSizes(pp=8), "28 layers are not divisible by PP × VPP = 8"),
        (MegatronSizes(etp=3), "8 GPUs are not divisible by ETP × EP × PP = 3"),
    ],
)
def test_megatron_sizes_that_do_not_divide(sizes: MegatronSizes, says: str) -> None:
    values = [p.message for p in problems(setup().with_actor(backend="megatron", megatron=sizes))]
    assert any(says in message for message in values)


def test_uneven_pipelines_need_not_divide() -> None:
    sizes = MegatronSizes(pp=8, first_stage_layers=2, last_stage_layers=2)
    assert not any("layers" in p.message for p in problems(setup().with_actor(backend="megatron", megatron=sizes)))


def test_more_gpus_than_the_cluster_has() -> None:
    run = replace(setup(apart()), nodes=1, gpus_per_node=4)
    (problem,) = (p for p in problems(run) if "cluster has" in p.message)
    assert problem.nearest == ("--nodes 2",)


def test_a_batch_that_does_not_feed_every_rank() -> None:
    run = replace(setup(apart()), pads=False, sequences_per_update=100)
    (problem,) = (p for p in problems(run) if p.code == "BAT")
    assert "100 sequences an update cannot be shared evenly by 6" in problem.message
    assert problem.nearest[0] == "5 trainer GPUs"
    assert not any(p.code == "BAT" for p in problems(replace(run, pads=True)))


def test_a_trinity_trainer_is_within_a_node_or_whole_nodes() -> None:
    run = setup(apart(nodes=4, engines=2)).with_actor(gpus=12)
    (problem,) = (p for p in problems(run) if "whole nodes" in p.message)
    assert problem.nearest == ("8 trainer GPUs", "16 trainer GPUs")
    assert of("verl", run) == of("verl", setup(apart(nodes=4, engines=2)).with_actor(gpus=12))
    assert not any("whole nodes" in m for m in of("verl", run))


def test_an_early_trinity_trainer_shares_no_node_with_engines() -> None:
    run = replace(setup(apart(nodes=4, engines=2)).with_actor(gpus=4), framework="trinity")
    auxiliary = {release: [p for p in problems(replace(run, release=release)) if "whole nodes" in p.message]
             for release in ("0.3.3", "0.4.1", None)}  # fmt: skip
    assert [p.nearest for p in auxiliary["0.3.3"]] == [("8 trainer GPUs",)]
    assert auxiliary["0.4.1"] == auxiliary[None] == []


def test_trinity_shares_one_gpu_only() -> None:
    assert any("exactly 1" in m for m in of("trinity"))
    assert not any("exactly 1" in m for m in of("verl"))


def test_chatlearn_serves_with_tensor_parallel_only() -> None:
    run = setup().with_rollout(ep=2)
    assert any("both must be 1" in m for m in of("chatlearn", run))
    assert not any("both must be 1" in m for m in of("roll", run))


def test_verl_engines_fill_nodes() -> None:
    run = replace(setup().with_rollout(tp=4, dp=3), nodes=3)
    run = replace(run, engines=tuple(replace(role, gpus=24) for role in run.engines))
    assert any("do not fill nodes of 8" in m for m in of("verl", run))


def test_splits_keep_whole_engines() -> None:
    run = setup(apart(nodes=2, engines=4))
    assert whole_and_split(run, 8) == (4, 4)
    assert whole_and_split(run, 2) is None
    assert whole_and_split(setup(), 4) == (4, 4)
    assert whole_and_split(setup(), 1) is None
