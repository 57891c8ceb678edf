"""The plan's JSON Schema accepts what `rftconf plan` writes, and nothing else."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import jsonschema
import pytest

from rftconf.base.symbols import Arith, Var
from rftconf.plan.index import fields
from rftconf.plan.model import Batch, Plan, Stage
from rftconf.plan.schema import committed, plan_schema


def valid(data: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(committed()).is_valid(data))


def plan(**batch: Any) -> Plan:
    return Plan(stages=[Stage(kind="rl", batch=Batch(**batch))])


def test_it_is_a_schema_and_the_committed_one() -> None:
    jsonschema.Draft202012Validator.check_schema(committed())
    assert committed() == plan_schema()


def test_known_and_unknown_values_are_accepted() -> None:
    known = plan(prompts_per_rollout=256, responses_per_prompt=8)
    unknown = plan(prompts_per_rollout=Arith("*", Var("BS"), 4))
    assert valid(known.model_dump(mode="json"))
    assert valid(unknown.model_dump(mode="json"))
    assert valid(known.model_dump(mode="json", exclude_none=True))


def test_broken_counts_are_written_exactly() -> None:
    data = Plan(stages=[Stage.model_validate({"cadence": {"save_rollouts": Fraction(25, 4)}})]).model_dump(mode="json")
    assert data["stages"][0]["cadence"]["save_rollouts"] == "25/4"
    assert valid(data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"stages": [{"batch": {"prompts_per_rollout": "many"}}]},
        {"stages": [{"batch": {"train_batch_size": 1}}]},
        {"stages": [{"kind": "pretraining"}]},
        {"stages": [{"cadence": {"save_rollouts": "25/x"}}]},
        {"plan_version": 1},
    ],
)
def test_what_no_plan_says_is_refused(wrong: Any) -> None:
    assert not valid(wrong)


def test_it_says_what_each_number_counts() -> None:
    batch = committed()["$defs"]["Batch"]["properties"]
    assert batch["sequences_per_update"]["x-unit"] == "sequences"
    assert committed()["$defs"]["Optimizer"]["properties"]["warmup_updates"]["x-unit"] == "optimizer updates"
    count = json.dumps(committed()).count('"x-unit"')
    assert count >= len({path.rpartition(".")[2] for path, field in fields().items() if field.unit is not None})


def test_a_plan_comes_back_from_its_json() -> None:
    before = plan(prompts_per_rollout=256, sequences_per_update=Var("G"))
    after = Plan.model_validate_json(before.model_dump_json())
    assert after == before
