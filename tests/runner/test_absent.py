"""Local files that are not there are named by field; what may be elsewhere is left to who reads it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rftconf_runner.absent import absent
from rftconf_runner.job import Job
from rftconf_runner.job_reader import job_of

from tests.runner.test_job import ADAPTED, plan
from tests.runner.test_job import EVERYTHING as WITH_CRITIC


def job(data: str, model: str, reward: str, **more: str) -> Job:
    keys = {
        "data__train_files": data,
        "actor_rollout_ref__model__path": model,
        "reward__custom_reward_function__path": reward,
        "trainer__val_before_train": "False",
        "trainer__test_freq": "-1",
    }
    return job_of(plan(**{**keys, **more}))


def test_what_is_there_is_not_named(tmp_path: Path) -> None:
    for name in ("train.parquet", "part-1.jsonl", "reward.py"):
        (tmp_path / name).touch()
    (tmp_path / "model").mkdir()
    model, reward = str(tmp_path / "model"), str(tmp_path / "reward.py")
    for data in ("train.parquet", "*/part-?.jsonl", "model"):
        assert absent(job(str(tmp_path / data), model, reward)) == []
    for remote in ("hf://datasets/a/b/train.parquet", "https://a/b.jsonl", "owner/name"):
        assert absent(job(remote, "owner/name", reward)) == []


def test_what_is_not_there_is_named_once_by_field() -> None:
    """The tokenizer is the model's where the plan names none."""
    assert absent(job("/no/train.parquet", "/no/model", "reward.py")) == [
        "stage.data.train[].uri: /no/train.parquet is no file or folder",
        "stage.model.path: /no/model is no folder",
        "stage.reward.function_path: reward.py is no file",
    ]
    more = {**WITH_CRITIC, **ADAPTED, "critic__model__path": "./no/critic"}
    more |= {"actor_rollout_ref__model__tokenizer_path": "../no/tokenizer"}
    more |= {"actor_rollout_ref__model__lora_adapter_path": "/no/adapter"}
    fields = [sentence.partition(":")[0] for sentence in absent(job("train.jsonl", "owner/name", "/no.py", **more))]
    assert fields == [
        "stage.data.train[].uri",
        "stage.model.tokenizer_path",
        "stage.model.critic_path",
        "stage.model_options.lora.path",
        "stage.reward.function_path",
    ]


def test_a_home_folder_is_the_shells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "model").mkdir()
    (message,) = absent(replace(job("owner/name", "owner/name", __file__), model="~/model", tokenizer="~/model"))
    assert message.endswith("~/model is no folder; `~` is not read as your home folder here, write the whole path")


def test_validation_data_that_are_not_there_can_be_done_without(tmp_path: Path) -> None:
    """veRL has a file of its own where a script names none, and asks for it before the first period."""
    (tmp_path / "model").mkdir()
    for name in ("train.parquet", "reward.py"):
        (tmp_path / name).touch()
    own = [str(tmp_path / name) for name in ("train.parquet", "model", "reward.py")]
    (why,) = absent(job(*own, trainer__test_freq="5", data__val_files="/no/test.parquet"))
    assert why == "stage.data.eval[].uri (--no-validation runs without): /no/test.parquet is no file or folder"
