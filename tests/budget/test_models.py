"""The table of models: every count, and how names find rows."""

from __future__ import annotations

import pytest

from rftconf.base.errors import UsageError
from rftconf.budget.facts import models
from rftconf.budget.facts.hf_config import KNOWN, architecture_of

ROWS = models.rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_equations_give_the_published_count(row: models.Row) -> None:
    architecture = architecture_of(row.config, row.name)
    assert architecture.parameters + architecture.draft == pytest.approx(row.published, rel=1e-3)


def test_there_are_enough_of_them_each_once_and_with_a_source() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names)) >= 60
    assert all("config.json" in row.source for row in ROWS)


def test_most_counts_are_right_to_the_last_parameter() -> None:
    exact = 0
    for row in ROWS:
        architecture = architecture_of(row.config, row.name)
        exact += architecture.parameters + architecture.draft == row.published
    assert exact >= 105


def test_every_row_is_found_by_its_name() -> None:
    assert [row.name for row in ROWS if (model := models.find(row.name)) is None or model.name != row.name] == []


def test_every_row_has_equations_of_its_own() -> None:
    for row in ROWS:
        assert models.resolve(row.name).architecture.family in KNOWN, row.name


@pytest.mark.parametrize(
    ("new_name", "name"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B"),
        ("$HOME/models/qwen2.5-7b-instruct-1M", "Qwen/Qwen2.5-7B"),
        ("${MODEL_ROOT}/Qwen3-4B", "Qwen/Qwen3-4B"),
        ("/hub/models--Qwen--Qwen3-30B-A3B/snapshots/0123abc", "Qwen/Qwen3-30B-A3B"),
        ("Llama-3.1-8B-Instruct/", "meta-llama/Llama-3.1-8B"),
        ("Meta-Llama-3-8B-Instruct", "meta-llama/Meta-Llama-3-8B"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mistralai/Mixtral-8x7B-v0.1"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek-ai/DeepSeek-V3"),
        ("DeepSeek-R1-Distill-Qwen-7B", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"),
    ],
)
def test_a_path_finds_its_row(new_name: str, name: str) -> None:
    model = models.find(new_name)
    assert model is not None
    assert model.name == name
    assert (model.note == "") == (name.split("/")[-1] in new_name.split("/") or "--" in new_name)


@pytest.mark.parametrize(
    "name", ["deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "Qwen2.5-Omni-7B", "my-7b", "", "/", "$MODEL_PATH"]
)
def test_no_row_is_guessed(name: str) -> None:
    assert models.find(name) is None


@pytest.mark.parametrize("name", models.TRAINED_FROM)
def test_known_reward_models_have_the_sizes_of_their_base(name: str) -> None:
    model = models.find(f"/home/user/models/{name}")
    assert model is not None
    assert model.name == models.TRAINED_FROM[name]
    assert "which it was trained from" in model.note


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("checkpoint/multiturn-sft-qwen-2.5-32b-instruct/global_step_372", "Qwen/Qwen2.5-32B"),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "Qwen/Qwen3-8B"),
    ],
)
def test_a_name_inside_another_is_offered_and_not_taken(name: str, base: str) -> None:
    assert models.find(name) is None
    with pytest.raises(UsageError, match=rf"if it was trained from {base}\S*, pass --model {base}"):
        models.resolve(name)


def test_an_unknown_model_says_what_to_pass() -> None:
    with pytest.raises(UsageError, match=r"Qwen2\.5-9B: not in the table; nearest names: .*config\.json"):
        models.resolve("Qwen2.5-9B")
