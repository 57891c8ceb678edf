"""Validation, really run: it is answered as the plan says, is the same each time, and changes nothing of what is learned."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner.data import Prompt, tokenizer_of
from rftconf_runner.job import Job
from rftconf_runner.job_data import Rows, Sampling, Validation, ValidationSet
from rftconf_runner.job_reader import job_of
from rftconf_runner.score_columns import Score
from rftconf_runner.validation import FILE, Questions, figures_of, questions_of, requests_of

from tests.runner.test_job import plan
from tests.runner.with_vllm.test_demo import trained, without_times

pytestmark = pytest.mark.filterwarnings("default")
SHORT = {"trainer__total_training_steps": "3"}
VALIDATES = {
    "trainer__test_freq": "2",
    "trainer__val_before_train": "True",
    "data__val_max_samples": "6",
    "actor_rollout_ref__rollout__val_kwargs__n": "2",
    "actor_rollout_ref__rollout__val_kwargs__do_sample": "True",
}


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FILE).read_text().splitlines()]


def test_it_is_done_when_the_plan_says_and_nothing_is_learned_otherwise(demo: Path) -> None:
    never = {"trainer__test_freq": "-1", "trainer__val_before_train": "False"}
    plain = trained(demo, "unvalidated", **SHORT, **never)
    metrics = trained(demo, "validated", **SHORT, **VALIDATES)
    assert without_times(metrics) == without_times(plain)
    rows = rows_of(demo / "validated")
    assert [row["period"] for row in rows] == [0, 2, 3]
    assert not (demo / "unvalidated" / FILE).exists()
    for row in rows:
        ((name, figures),) = row["sets"].items()
        assert {"mean@2", "best@2", "reward", "response_tokens", "cut_answers"} <= set(figures)
        assert name
        assert 0 <= figures["mean@2"] <= figures["best@2"] <= 1
        assert figures["mean@2"] == pytest.approx(figures["reward"])
    assert rows[0]["sets"] != rows[-1]["sets"], "weights that learned something answer otherwise"


def score(accuracy: float, reward: float | None = None) -> Score:
    return Score(accuracy if reward is None else reward, {"acc": accuracy})


def test_figures_of_right_and_wrong() -> None:
    """Two prompts with 1 and 3 right ones of 4: of two drawn from four, one at least is right in 1 - 3/6 and in 1 of cases."""
    figures = figures_of([[score(1), score(0), score(0), score(0)], [score(1), score(1), score(1), score(0)]])
    assert figures["mean@4"] == pytest.approx(0.5)
    assert figures["best@4"] == 1
    assert figures["pass@1"] == pytest.approx(0.5)
    assert figures["pass@2"] == pytest.approx((0.5 + 1) / 2)
    assert figures["pass@4"] == 1


def test_scores_that_are_no_right_and_wrong_have_no_chance_of_being_right() -> None:
    figures = figures_of([[score(0.25), score(0.5), score(0.0)]])
    assert (figures["mean@3"], figures["best@3"]) == (0.25, 0.5)
    assert not any(name.startswith("pass") for name in figures)


def test_a_punished_reward_is_no_accuracy() -> None:
    """DAPO takes from the reward of long answers, and veRL's `acc` stays."""
    figures = figures_of([[score(1.0, reward=-1.5)]])
    assert (figures["mean@1"], figures["reward"], figures["pass@1"]) == (1.0, -1.5, 1.0)


def with_sets(job: Job, *uris: str, most: int = 0) -> Job:
    sets = tuple(
        ValidationSet(f"set {number}", Rows(uri, "train", "prompt", True, "answer"), Sampling(0.3, top_k=5), 3)
        for number, uri in enumerate(uris)
    )
    return replace(job, validation=Validation(sets, most=most))


def test_each_prompt_is_asked_by_its_sets_own_sampling_with_the_same_seeds_each_time(demo: Path) -> None:
    job = with_sets(job_of(plan()), "x")
    assert job.validation is not None
    questions = Questions(job.validation.sets[0], (Prompt(0, (1, 2), "", ""), Prompt(1, (3,), "", "")))
    requests = requests_of(job, questions)
    assert [request.prompt for request in requests] == [(1, 2)] * 3 + [(3,)] * 3
    assert {request.sampling for request in requests} == {Sampling(0.3, top_k=5)}
    assert len({request.seed for request in requests}) == 6
    assert requests == requests_of(job, questions)


def test_the_first_prompts_of_all_sets_are_asked(demo: Path) -> None:
    job = replace(job_of(plan()), model=str(demo / "model"), tokenizer=str(demo / "model"))
    file = str(demo / "train.parquet")
    tokenizer = tokenizer_of(job)
    assert [len(part.prompts) for part in questions_of(with_sets(job, file, file), tokenizer)] == [64, 64]
    assert [len(part.prompts) for part in questions_of(with_sets(job, file, file, most=70), tokenizer)] == [64, 6]
    assert [len(part.prompts) for part in questions_of(with_sets(job, file, file, most=10), tokenizer)] == [10]
    with pytest.raises(ValueError, match=r"stage.data.eval\[\].uri: .*--no-validation"):
        questions_of(with_sets(job, "/nowhere.parquet"), tokenizer)
