"""Models that score answers, really run: a reward model's score is what transformers computes, a judge's reply is scored by
the user's function, and both are the same when one dies or the run goes on."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import ray
import torch
from rftconf_runner import grading
from rftconf_runner.drawing import Group
from rftconf_runner.faults import VARIABLE
from rftconf_runner.graders import have_heads
from rftconf_runner.grading import graded
from rftconf_runner.job_reader import job_of
from rftconf_runner.job_rewards import Grader
from rftconf_runner.places import NOWHERE
from rftconf_runner.score_columns import BadRewardError, GroupScores
from rftconf_runner.supervision import LostError
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Qwen3Config, Qwen3ForSequenceClassification

from tests.runner.test_job import plan
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, without_times

pytestmark = pytest.mark.filterwarnings("default")
SHORT = {"trainer__total_training_steps": "3", "trainer__save_freq": "1"}
MODEL = {
    "reward__reward_model__enable": "True",
    "reward__reward_model__rollout__name": "vllm",
    "reward__reward_model__rollout__tensor_model_parallel_size": "1",
    "reward__reward_model__rollout__dtype": "float32",
    "reward__reward_model__rollout__prompt_length": "64",
    "reward__reward_model__rollout__response_length": "8",
}
JUDGED = '''"""The share of digits in what a judge says of an answer."""


def judge_prompt(data_source, solution_str, ground_truth, extra_info, prompt, template):
    return [*prompt, {"role": "assistant", "content": solution_str}]


def compute_score(data_source, solution_str, ground_truth, extra_info, judge_reply):
    return sum(char.isdigit() for char in judge_reply) / 8
'''
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def reward_model(demo: Path) -> Path:
    """The demo's model with a random head that gives one number."""
    folder = demo / "reward_model"
    shutil.copytree(demo / "model", folder)
    torch.manual_seed(7)
    sizes = json.loads((folder / "config.json").read_text())
    config = Qwen3Config(**{key: sizes[key] for key in sizes if key != "architectures"}, num_labels=1)
    Qwen3ForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float]]:
    """Every whole sequence that was scored, and its score."""
    values: list[tuple[str, float]] = []

    def kept(job: Any, groups: Sequence[Group], places: Any, tokenizer: Any) -> GroupScores:
        new_values = graded(job, groups, places, tokenizer)
        for group, own in zip(groups, new_values, strict=True):
            for sample, score in zip(group.samples, own, strict=True):
                answer = tokenizer.decode(sample.answer).replace(tokenizer.eos_token, "")
                values.append((group.prompt.asked[0]["content"] + answer, score.reward))
        return new_values

    monkeypatch.setattr("rftconf_runner.batch.graded", kept)
    return values


def modelled(demo: Path, name: str, model: Path, *, function: str = "", **changes: str) -> Path:
    """A plan of the demo whose rewards are of this model, and with `function` of a judge."""
    script = demo / "run_grpo.sh"
    before = script.read_text()
    lines = [line for line in before.splitlines() if function or "custom_reward_function" not in line]
    try:
        script.write_text("\n".join(lines).replace("$FOLDER/reward.py", function) + "\n")
        return planned(demo, name, reward__reward_model__model_path=str(model), **SHORT, **MODEL, **changes)
    finally:
        script.write_text(before)


def test_a_reward_models_scores(demo: Path, reward_model: Path, scores: list[tuple[str, float]]) -> None:
    """What transformers says of the same text, with a chat template of its own; and what was learned from is their mean."""
    plan = modelled(demo, "modelled", reward_model)
    metrics = session.run(plan, demo / "modelled")
    model = AutoModelForSequenceClassification.from_pretrained(reward_model, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(reward_model)
    with (
        torch.no_grad()
    ):  # of the last token, also where it is one that pads: the model's own forward would look before it
        states = [model.model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, -1] for text, _ in scores]
        arguments = [model.score(state)[-1].item() for state in states]
    assert len(arguments) == 3 * 128
    assert max(abs(entry - number) for entry, (_, number) in zip(arguments, scores, strict=True)) <= TOLERANCE
    assert len({number for _, number in scores}) > 200
    for index, entry in enumerate(metrics):
        own = [number for _, number in scores[128 * index : 128 * (index + 1)]]
        assert entry["reward"] == pytest.approx(sum(own) / 128)
    shutil.copytree(demo / "modelled", demo / "modelled_resumed")
    for later in ("step-000002", "step-000003"):
        shutil.rmtree(demo / "modelled_resumed" / later)
    assert without_times(session.run(plan, demo / "modelled_resumed", resume=True)) == without_times(metrics)


def test_a_judge_and_its_death(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A random one, whose reply to an answer earns its share of digits. Killed as it judges, another says the same."""
    (demo / "judged.py").write_text(JUDGED)
    plan = modelled(demo, "judged", demo / "model", function=str(demo / "judged.py"))
    whole = session.run(plan, demo / "judged")
    assert 0 < whole[0]["reward"] < 0.5
    assert len({entry["reward"] for entry in whole}) == 3
    monkeypatch.setenv(VARIABLE, "judge@reward:2")
    killed = session.run(plan, demo / "judged_killed")
    events = [json.loads(line) for line in (demo / "judged_killed" / "events.jsonl").read_text().splitlines()]
    assert [event["what"] for event in events if event["event"] == "lost"] == ["judge 0 died in period 2, phase reward"]
    assert without_times(killed) == without_times(whole)


@ray.remote(num_cpus=0)
class Hanging:
    """A judge that answers, or does not."""

    def replies(self, options: list[Any]) -> list[Any]:
        if options == ["hangs"]:
            time.sleep(600)
        return options


def test_a_model_that_hangs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of the user's own may be the longer one."""
    session.connected()
    judge = Grader("judge", "", "/j", 2, True, "float32", 0.5, 64)
    job = replace(job_of(plan()), graders=(judge,), reward_seconds=0.5)
    actor: Any = Hanging
    places = replace(NOWHERE, graders={name: actor.remote() for name, _ in job.posts})
    ray.get([grader.__ray_ready__.remote() for grader in places.graders.values()])
    try:
        assert grading._shared(job, judge, places, "replies", ["a", "b"]) == ["a", "b"]
        monkeypatch.setattr(grading, "GRADER_SECONDS", 0.5)
        with pytest.raises(BadRewardError, match=r"^judge 1 \(/j\) took longer than 0\.5 s for 2 answers"):
            grading._shared(job, judge, places, "replies", ["a", "hangs"])
    finally:
        for grader in places.graders.values():
            ray.kill(grader)


def test_a_model_without_a_head_is_no_reward_model(demo: Path) -> None:
    with pytest.raises((BadRewardError, LostError), match="has no head that scores a sequence"):
        session.run(modelled(demo, "headless", demo / "model"), demo / "headless")


@pytest.mark.parametrize(
    ("config", "heads"),
    [
        ('{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}', False),
        ('{"model_type": "qwen3", "architectures": ["Qwen3ForSequenceClassification"]}', True),
        ('{"model_type": "qwen3"}', True),
        ('{"model_type": "of the future"}', True),
        ("{", True),
        (None, True),
    ],
)
def test_what_cannot_be_read_is_for_the_engine_to_name(tmp_path: Path, config: str | None, heads: bool) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(config)
    job = replace(job_of(plan()), graders=(Grader("classifier", "", str(tmp_path), 1, False, "float32", 0.5, 64),))
    if heads:
        have_heads(job)
    else:
        with pytest.raises(BadRewardError, match="has no head that scores a sequence"):
            have_heads(job)
    have_heads(replace(job, graders=(replace(job.graders[0], kind="judge"),)))
