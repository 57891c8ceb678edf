"""DAPO's parts, and answers drawn ahead: what the runs record, and that they go on bit for bit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.ledger import faults

from rftconf.plan.model import Plan
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, without_times

pytestmark = pytest.mark.filterwarnings("default")
KWARGS = "+reward__reward_kwargs__"
DAPO = {
    "trainer__total_training_steps": "3",
    "trainer__save_freq": "2",
    "actor_rollout_ref__rollout__n": "2",
    "actor_rollout_ref__actor__ppo_mini_batch_size": "4",
    "actor_rollout_ref__actor__clip_ratio_high": "0.28",
    "algorithm__filter_groups__enable": "True",
    "algorithm__filter_groups__metric": "acc",
    "reward__reward_manager__name": "dapo",
    f"{KWARGS}overlong_buffer_cfg__enable": "True",
    f"{KWARGS}overlong_buffer_cfg__len": "8",
    f"{KWARGS}overlong_buffer_cfg__penalty_factor": "0.5",
    f"{KWARGS}overlong_buffer_cfg__log": "False",
    f"{KWARGS}max_resp_len": "16",
}


def ledger(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]


def test_groups_that_teach_nothing_are_drawn_again(demo: Path) -> None:
    """Of two answers, often neither has a digit. Batches stay whole, and what was refused is in the ledger."""
    metrics = session.run(planned(demo, "dapo", **DAPO), demo / "dapo")
    lines = ledger(demo / "dapo")
    assert faults(lines) == []
    assert [sum(map(len, line["updates"])) for line in lines] == [16, 16, 16]
    assert sum(len(line["refused"]) for line in lines) == sum(metric["refused"] for metric in metrics) > 0
    assert min(metric["reward"] for metric in metrics) < -0.2  # what long answers are punished with


def ahead(demo: Path, name: str, **sync: Any) -> Path:
    """A plan of five periods with these values of its sync block."""
    file = planned(demo, name, trainer__total_training_steps="5", trainer__save_freq="2")
    plan = Plan.model_validate_json(file.read_text())
    for key, value in sync.items():
        setattr(plan.stages[0].sync, key, value)
    if sync.get("old_logprob") != "rollout_engine":
        plan.stages[0].algorithm.rollout_correction = {"rollout_is": "token", "rollout_is_threshold": 2.0}
    file.write_text(plan.model_dump_json())
    return file


def test_one_and_a_half_periods_ahead(demo: Path) -> None:
    """Lag is bounded by what the plan says; what waits is in the checkpoint, so that a run goes on bit for bit."""
    plan = ahead(demo, "ahead", run_ahead_rollouts=1.5)
    whole = session.run(plan, demo / "ahead")
    assert [entry["lags"] for entry in whole[:3]] == [{"0": 128}, {"1": 128}, {"1": 64, "2": 64}]
    assert max(entry["lag"] for entry in whole) == 2
    assert whole[0]["importance"] == pytest.approx(1.0, abs=1e-5)
    assert whole[2]["importance"] != pytest.approx(1.0, abs=1e-4)
    assert faults(ledger(demo / "ahead")) == []
    shutil.copytree(demo / "ahead", demo / "ahead_resumed")
    for later in ("step-000004", "step-000005"):
        shutil.rmtree(demo / "ahead_resumed" / later)
    assert without_times(session.run(plan, demo / "ahead_resumed", resume=True)) == without_times(whole)
    assert ledger(demo / "ahead_resumed") == ledger(demo / "ahead")


def test_weights_handed_over_every_second_period(demo: Path) -> None:
    """The ratio is against the engine's own log-probs. Saved is where the engine holds what the trainer holds."""
    plan = ahead(demo, "every", every_rollouts=2, old_logprob="rollout_engine")
    metrics = session.run(plan, demo / "every")
    assert [metric["lag"] for metric in metrics] == [0, 1, 0, 1, 0]
    assert sorted(path.name for path in (demo / "every").glob("step-*")) == [
        "step-000002",
        "step-000004",
        "step-000005",
    ]
