"""Two names for a plan: equal for the same mathematics, and for the same placement as well."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Arith, Var
from rftconf.load.typed_plan import nest
from rftconf.plan.field_roles import BOOKKEEPING, PERFORMANCE
from rftconf.plan.identity import flatten, math_id, plan_id
from rftconf.plan.index import role_of
from rftconf.plan.model import Plan, Run

BASE: dict[str, Any] = {
    "identity.project": "p",
    "cluster.nodes": 1,
    "stage.kind": "rl",
    "stage.batch.prompts_per_rollout": 256,
    "stage.batch.responses_per_prompt": 8,
    "stage.optim.actor.lr": 1e-6,
    "stage.sampling.train.temperature": 1.0,
    "stage.data.train[0].uri": "/data/a.parquet",
    "stage.placement.rollout.tp": 2,
}


def plan(**changes: Any) -> Plan:
    values = {**BASE, **{path.replace("__", "."): value for path, value in changes.items()}}
    run = Run.model_validate(nest(values))
    return Plan(identity=run.identity, cluster=run.cluster, stages=[run.stage])


def test_ids_are_stable_over_time() -> None:
    """Ids are stored by people; when the meaning of a field changes, so does `identity.VERSION`."""
    assert (math_id(plan()), plan_id(plan())) == (math_id(plan()), plan_id(plan()))
    assert len(math_id(plan())) == 16
    assert math_id(plan()) != plan_id(plan())


def test_the_way_a_number_is_written_does_not_matter() -> None:
    assert math_id(plan(stage__sampling__train__temperature=1)) == math_id(plan())


def test_mathematics_changes_both() -> None:
    other_plan = plan(stage__batch__responses_per_prompt=16)
    assert math_id(other_plan) != math_id(plan())
    assert plan_id(other_plan) != plan_id(plan())


def test_placement_changes_the_plan_only() -> None:
    assert role_of("stage.placement.rollout.tp") == PERFORMANCE
    other_plan = plan(stage__placement__rollout__tp=4)
    assert math_id(other_plan) == math_id(plan())
    assert plan_id(other_plan) != plan_id(plan())


def test_names_and_logging_change_neither() -> None:
    assert role_of("identity.project") == BOOKKEEPING
    other_plan = plan(identity__project="q")
    assert (math_id(other_plan), plan_id(other_plan)) == (math_id(plan()), plan_id(plan()))


def test_what_is_unknown_counts_as_what_it_is() -> None:
    new_plan = plan(stage__batch__prompts_per_rollout=Arith("*", Var("BS"), 4))
    assert math_id(new_plan) == math_id(plan(stage__batch__prompts_per_rollout=Arith("*", Var("BS"), 4)))
    assert math_id(new_plan) != math_id(plan(stage__batch__prompts_per_rollout=Arith("*", Var("BS"), 8)))


def test_extensions_and_source_are_not_part_of_it() -> None:
    with_more = plan().model_copy(update={"extensions": {"verl": {"a.b": 1}}})
    assert plan_id(with_more) == plan_id(plan())


def test_flat_paths_are_the_plans_own() -> None:
    flat = flatten(plan())
    assert flat["stages[0].batch.prompts_per_rollout"] == 256
    assert flat["stages[0].data.train[0].uri"] == "/data/a.parquet"
    assert flat["cluster.nodes"] == 1
    assert not any(value in ({}, [], None) for value in flat.values())
