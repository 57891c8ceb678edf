"""On which GPUs reward models and judges stand: their own, the engines', or those of the trainer that engines leave free."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import price
from rftconf.budget.roles.layout_rules import problems
from rftconf.budget.roles.pools import pools
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.lint import engine
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.roll_runs import INFER, ROLL, TRAIN, nested

MODEL, JUDGE = "Qwen/Qwen2.5-7B-Instruct", "rewards.math_rule."
JUDGED: dict[str, Any] = {
    "pretrain": MODEL,
    JUDGE + "judge_model_type": "inference",
    JUDGE + "model_args.model_name_or_path": MODEL,
    JUDGE + "strategy_args.strategy_name": "vllm",
    JUDGE + "strategy_args.strategy_config.load_format": "auto",
    JUDGE + "strategy_args.strategy_config.max_model_len": 8192,
}
WIDE, NARROW, THEIRS = TRAIN + "device_mapping", INFER + "device_mapping", JUDGE + "device_mapping"
OTHER = {key.replace("math_rule", "other"): value for key, value in JUDGED.items() if key.startswith(JUDGE)}


def document(**changes: Any) -> Any:
    flat = {**ROLL, **JUDGED, **{key.replace("__", "."): value for key, value in changes.items()}}
    return read(Source("judged.yaml", yaml.safe_dump(nested(flat), sort_keys=False)))


def drawn(changes: dict[str, Any]) -> list[tuple[int, int, tuple[str, ...]]]:
    run = setup_of(load(document(**changes), framework="roll", release="0.3.0").plan, BudgetRequest())
    assert not [p for p in problems(run) if p.code == "GPU"]
    return [(pool.first, pool.count, pool.roles) for pool in pools(run)]


def codes(changes: dict[str, Any]) -> set[str]:
    return {d.code for d in engine.check(document(**changes), engine.Options(framework="roll", release="0.3.0"))}


@pytest.mark.parametrize(
    ("infer", "judge", "expected"),
    [
        ("list(range(0,6))", "list(range(6,8))", [(0, 6, ("actor", "rollout")), (6, 2, ("actor", "math_rule"))]),
        ("list(range(0,8))", "list(range(8,12))", [(0, 8, ("actor", "rollout")), (8, 4, ("math_rule",))]),
        ("list(range(0,8))", "list(range(0,4))", [(0, 4, ("actor", "rollout", "math_rule")), (4, 4, ("actor", "rollout"))]),
    ],
)  # fmt: skip
def test_a_judge_beside_engines_and_trainer_in_turns(infer: str, judge: str, expected: list[Any]) -> None:
    assert drawn({NARROW: infer, THEIRS: judge}) == expected


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("list(range(0,4))", [(0, 8, ("rollout",)), (8, 4, ("actor", "math_rule")), (12, 4, ("actor",))]),
        ("list(range(8,12))", [(0, 4, ("rollout", "math_rule")), (4, 4, ("rollout",)), (8, 8, ("actor",))]),
        ("list(range(16,20))", [(0, 8, ("rollout",)), (8, 4, ("math_rule",)), (16, 8, ("actor",))]),
    ],
)
def test_a_judge_beside_engines_and_trainer_apart(judge: str, expected: list[Any]) -> None:
    assert drawn({NARROW: "list(range(8,16))", THEIRS: judge}) == expected


def test_two_judges_on_the_same_gpus_are_one_pool() -> None:
    pair = {**OTHER, THEIRS: "list(range(8,12))", THEIRS.replace("math_rule", "other"): "list(range(8,12))"}
    assert drawn(pair) == [(0, 8, ("actor", "rollout")), (8, 4, ("math_rule", "other"))]


def test_only_the_policys_engines_are_sent_weights() -> None:
    run = setup_of(
        load(
            document(**{NARROW: "list(range(0,6))", THEIRS: "list(range(6,8))"}), framework="roll", release="0.3.0"
        ).plan,
        BudgetRequest(),
    )
    phases = [[phase.name for phase in pool.phases] for pool in price(run, gpu_named("h100-80g")).pools]
    assert ["sync" in names for names in phases] == [True, False]


@pytest.mark.parametrize(
    ("changes", "idle"),
    [
        ({NARROW: "list(range(0,4))", WIDE: "list(range(0,4))", THEIRS: "list(range(4,8))"}, False),
        ({NARROW: "list(range(0,4))", WIDE: "list(range(0,4))", THEIRS: "list(range(6,8))"}, True),
        ({NARROW: "list(range(0,4))", WIDE: "list(range(0,4))", THEIRS: "list(range(4,8))",
          JUDGE + "model_args.model_name_or_path": "/models/nobody-knows"}, False),
        ({NARROW: "list(range(0,4))", WIDE: "list(range(0,4))", THEIRS: "list(range(6,8))",
          JUDGE + "model_args.model_name_or_path": "/models/nobody-knows"}, True),
    ],
)  # fmt: skip
def test_mem006_counts_the_gpus_of_judges(changes: dict[str, Any], idle: bool) -> None:
    steps = {TRAIN + "training_args.gradient_accumulation_steps": 128, "reference.device_mapping": "list(range(0,4))"}
    assert ("MEM006" in codes({**changes, **steps})) is idle
