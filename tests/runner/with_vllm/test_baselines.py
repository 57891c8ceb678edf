"""ReMax, really run: a greedy answer to each prompt, whose reward the samples' rewards are compared with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.advantages import less_baseline
from rftconf_runner.asking import generation_requests
from rftconf_runner.job_reader import job_of
from rftconf_runner.ledger import faults

from rftconf.plan.model import Plan
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, without_times

pytestmark = pytest.mark.filterwarnings("default")
REMAX = {
    "algorithm__adv_estimator": "remax",
    "trainer__total_training_steps": "3",
    "trainer__save_freq": "1",
    "actor_rollout_ref__rollout__n": "2",
    "actor_rollout_ref__actor__ppo_mini_batch_size": "4",
}


def test_every_prompt_has_one_greedy_answer_and_seeds_of_samples_stay() -> None:
    from rftconf_runner.data import Prompt
    from rftconf_runner.job_data import GREEDY

    from tests.runner.test_job import plan

    job, prompts = job_of(plan(algorithm__adv_estimator="remax")), [Prompt(0, (1,), "", "")] * 3
    options = generation_requests(job, prompts, 5)
    assert [index for index, entry in enumerate(options) if entry.sampling == GREEDY] == [16, 33, 50]
    plain = generation_requests(replace(job, baseline=""), prompts, 5)
    assert [entry.seed for entry in options if entry.sampling is None] == [entry.seed for entry in plain]
    drawn = generation_requests(replace(job, baseline="drawn"), prompts, 5)
    assert not any(entry.sampling for entry in drawn)
    assert len({entry.seed for entry in drawn}) == len(drawn)


def test_returns_less_the_baseline() -> None:
    """The rewards from each token on are 1.5 and 1.0, and the baseline takes 0.25 off each; the third token does not count."""
    mask = torch.tensor([[1.0, 1.0, 0.0]])
    result = less_baseline(torch.tensor([[0.5, 1.0, 9.0]]), torch.tensor([0.25]), mask)
    assert result.tolist() == [[1.25, 0.75, 0.0]]


def test_a_run_and_its_resumption_bit_for_bit(demo: Path) -> None:
    import shutil

    plan, folder = planned(demo, "remax", **REMAX), demo / "remax"
    assert job_of(Plan.model_validate_json(plan.read_text())).baseline == "greedy"
    whole = session.run(plan, folder)
    lines = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    assert faults(lines) == []
    assert [sum(map(len, line["updates"])) for line in lines] == [16, 16, 16]
    assert all(0.0 <= entry["baseline"] <= 1.0 for entry in whole)
    shutil.copytree(folder, demo / "remax_resumed")
    for later in ("step-000002", "step-000003"):
        shutil.rmtree(demo / "remax_resumed" / later)
    assert without_times(session.run(plan, demo / "remax_resumed", resume=True)) == without_times(whole)


def test_a_greedy_answer_does_not_depend_on_how_samples_are_drawn(demo: Path) -> None:
    """Two temperatures have the same baseline, and other samples."""
    values = []
    for temperature in ("1.0", "2.0"):
        name = f"remax_{temperature}"
        changes = {"trainer__total_training_steps": "1", "actor_rollout_ref__rollout__temperature": temperature}
        values += session.run(planned(demo, name, **{**REMAX, **changes}), demo / name)
    first, second = values
    assert first["baseline"] == second["baseline"]
    assert first["reward"] != second["reward"]
