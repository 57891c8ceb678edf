"""What a target cannot place as the source does is split, shared or refused, and a refusal says what would do."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.symbols import Branch, Var
from rftconf.plan.origin import Kind, Origin
from rftconf.plan.placement import colocate, disaggregate, keep_apart
from rftconf.plan.ranks import P


def shared(**more: Any) -> tuple[dict[str, Any], dict[str, Origin]]:
    """A run that shares two nodes of eight GPUs."""
    values = {
        "cluster.nodes": 2,
        "cluster.gpus_per_node": 8,
        P + "layout": "colocated",
        P + "rollout.tp": 2,
        P + "actor.gpus": 16,
        P + "rollout.gpus": 16,
        "stage.batch.sequences_per_update": 512,
        **{path.replace("__", "."): value for path, value in more.items()},
    }
    return values, {path: Origin(Kind.WRITTEN, (path,)) for path in values}


def test_a_shared_run_is_split_in_halves_and_the_choice_is_told() -> None:
    values, origins = shared()
    (decision,) = disaggregate(values, origins, None)
    assert (values[P + "actor.gpus"], values[P + "rollout.gpus"]) == (8, 8)
    assert values[P + "layout"] == "disaggregated"
    assert origins[P + "rollout.gpus"].kind is Kind.CHOSEN
    assert "--rollout-gpus 12: 12 rollout (6 engines) + 4 trainer" in decision.choices
    assert decision.chosen == "8 rollout (4 engines) + 8 trainer"


def test_a_split_feeds_every_rank_whichever_way_a_condition_goes() -> None:
    update = Branch('[ "$TASK" = math ]', 128, 256) * 8
    values, origins = shared(cluster__nodes=1, stage__batch__sequences_per_update=update)
    disaggregate(values, origins, None)
    assert (values[P + "actor.gpus"], values[P + "rollout.gpus"]) == (4, 4)
    with pytest.raises(RefusedError, match="a multiple of 1024 sequences an update cannot be shared by 6"):
        disaggregate(*shared(cluster__nodes=1, stage__batch__sequences_per_update=update), 2)


def test_what_a_person_asks_for_is_done_or_refused_with_the_list() -> None:
    values, origins = shared()
    disaggregate(values, origins, 12)
    assert (values[P + "actor.gpus"], values[P + "rollout.gpus"]) == (4, 12)
    with pytest.raises(RefusedError, match="not a whole number of engines") as refusal:
        disaggregate(*shared(), 3)
    assert "--rollout-gpus 8: 8 rollout (4 engines) + 8 trainer" in refusal.value.choices


def on_one_node(**sizes: int) -> tuple[dict[str, object], dict[str, Origin]]:
    """Engines and trainer that share eight GPUs, with the given parallel sizes."""
    values, origins = shared()
    values["cluster.nodes"], values["cluster.gpus_per_node"] = 1, 8
    values.update({P + name.replace("__", "."): size for name, size in sizes.items()})
    return values, origins


def test_where_no_split_feeds_every_rank_it_is_refused_with_ways_out() -> None:
    values, origins = on_one_node(rollout__tp=4, actor__megatron__tp=8)
    values[P + "actor.backend"] = "megatron"
    before = dict(values)
    with pytest.raises(RefusedError, match="feeds every rank") as refusal:
        disaggregate(values, origins, None)
    assert any(choice.startswith("2 x 8 GPUs") for choice in refusal.value.choices)
    assert {path: values[path] for path in before} == before


def test_engines_become_smaller_where_theirs_leave_the_trainer_nothing() -> None:
    values, origins = on_one_node(rollout__tp=8)
    first, split = disaggregate(values, origins, None)
    assert (values[P + "rollout.tp"], values[P + "rollout.gpus"], values[P + "actor.gpus"]) == (4, 4, 4)
    assert first.key == P + "rollout.tp"
    assert first.choices == ("more GPUs, and 8 as in the source",)
    assert origins[P + "rollout.tp"].kind is Kind.CHOSEN
    assert split.key == P + "rollout.gpus"


def test_ranks_become_smaller_only_where_smaller_engines_do_not_do() -> None:
    values, origins = on_one_node(rollout__tp=8, actor__sp=8)
    disaggregate(values, origins, None)
    assert (values[P + "rollout.tp"], values[P + "actor.sp"]) == (4, 4)
    values, origins = on_one_node(rollout__tp=8, actor__sp=4)
    disaggregate(values, origins, None)
    assert (values[P + "rollout.tp"], values[P + "actor.sp"]) == (4, 4)


def test_sizes_stay_where_a_split_was_asked_for() -> None:
    values, origins = on_one_node(rollout__tp=8)
    with pytest.raises(RefusedError):
        disaggregate(values, origins, 4)
    assert values[P + "rollout.tp"] == 8


def test_an_unknown_cluster_leaves_the_split_open() -> None:
    values, origins = shared()
    values["cluster.nodes"] = Var("NODES")
    (decision,) = disaggregate(values, origins, None)
    assert values[P + "rollout.gpus"] == Var("ROLLOUT_GPUS")
    assert "NODES x 8 GPUs" in decision.why


def test_a_reward_model_gets_engines_of_its_own() -> None:
    values, origins = shared()
    values.update({P + "auxiliary[0].role": "reward", P + "auxiliary[0].tp": 4})
    origins[P + "auxiliary[0].role"] = Origin(Kind.WRITTEN)
    disaggregate(values, origins, None)
    assert values[P + "auxiliary[0].gpus"] == 4
    assert values[P + "actor.gpus"] + values[P + "rollout.gpus"] == 12


def test_one_gpu_is_shared_even_so() -> None:
    values, origins = shared()
    values.update({"cluster.nodes": 1, "cluster.gpus_per_node": 1, P + "rollout.tp": 1})
    assert disaggregate(values, origins, None) == [] or values[P + "layout"] == "colocated"


def apart(trainer: int, rollout: int, **more: Any) -> tuple[dict[str, Any], dict[str, Origin]]:
    values, origins = shared()
    values.update({P + "layout": "disaggregated", P + "actor.gpus": trainer, P + "rollout.gpus": rollout})
    return values, origins


def test_what_is_apart_already_stays_as_it_is() -> None:
    values, origins = apart(8, 8)
    before = dict(values)
    assert keep_apart(values, origins) == []
    assert values == before


def test_numbers_that_no_target_starts_with_become_the_nearest_that_it_does() -> None:
    values, origins = apart(12, 4)
    (decision,) = keep_apart(values, origins)
    assert (values[P + "actor.gpus"], values[P + "rollout.gpus"]) == (8, 8)
    assert decision.why.startswith("12 trainer GPUs are more than a node of 8 and not whole nodes")
    assert "8 rollout (4 engines) + 8 trainer" in str(decision.chosen)


@pytest.mark.parametrize(("trainer", "rollout"), [(8, 0), (8, 7)])
def test_what_no_target_starts_with_is_refused(trainer: int, rollout: int) -> None:
    with pytest.raises(RefusedError):
        keep_apart(*apart(trainer, rollout))


@pytest.mark.parametrize(("trainer", "rollout", "engines"), [(8, 4, 8), (4, 4, 12), (2, 6, 14)])
def test_gpus_that_the_source_leaves_idle_go_to_the_engines(trainer: int, rollout: int, engines: int) -> None:
    """A trainer that gets whatever engines leave would else be 12 GPUs on nodes of 8 (H22)."""
    values, origins = apart(trainer, rollout)
    (decision,) = keep_apart(values, origins)
    assert (values[P + "actor.gpus"], values[P + "rollout.gpus"]) == (trainer, engines)
    assert f"the source uses {trainer + rollout} of 16 GPUs" in decision.why


def test_a_model_on_the_trainers_gpus_takes_some_of_them() -> None:
    values, origins = apart(8, 8)
    values.update({P + "auxiliary[0].role": "reward", P + "auxiliary[0].tp": 4})
    origins[P + "auxiliary[0].role"] = Origin(Kind.WRITTEN)
    (decision,) = keep_apart(values, origins)
    assert (values[P + "actor.gpus"], values[P + "auxiliary[0].gpus"]) == (4, 4)
    assert "4 of 8" in decision.why


@pytest.mark.parametrize(("trainer", "rollout", "placements"), [(4, 8, (4, 12)), (8, 4, (8, 8))])
def test_gpus_without_a_role_go_to_the_engines_where_the_trainer_would_take_them(
    trainer: int, rollout: int, placements: tuple[int, int]
) -> None:
    values, origins = apart(trainer, rollout)
    (decision,) = keep_apart(values, origins)
    assert (values[P + "actor.gpus"], values[P + "rollout.gpus"]) == placements
    assert "12 of 16 GPUs" in decision.why


def test_a_trainer_holds_whole_copies_of_the_experts() -> None:
    experts = {
        "stage__placement__actor__backend": "megatron",
        "stage__placement__actor__megatron__tp": 2,
        "stage__placement__actor__megatron__ep": 8,
    }
    values, origins = shared(**experts)
    with pytest.raises(RefusedError, match=r"copies of its experts \(16 GPUs each\)"):
        disaggregate(values, origins, None)
    values, origins = shared(**experts, stage__placement__actor__megatron__etp=1)
    disaggregate(values, origins, None)
    assert values[P + "actor.gpus"] == 8


def test_engines_move_onto_the_trainers_gpus() -> None:
    values, origins = apart(8, 8)
    colocate(values, origins)
    assert values[P + "layout"] == "colocated"
    assert values[P + "actor.gpus"] == values[P + "rollout.gpus"] == 16
