"""The beginning of an option stands for it in the parser of its own framework, and in no other's."""

from __future__ import annotations

import pytest

from rftconf.load.load import load
from rftconf.text.launch.option_names import whole_name
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source


@pytest.mark.parametrize(
    ("framework", "beginning", "name"),
    [
        ("trl", "num_train_epoch", "num_train_epochs"),
        ("trl", "vllm_enable_sleep", "vllm_enable_sleep_mode"),
        ("openrlhf", "vllm_enable_sleep", "vllm_enable_sleep"),
        ("openrlhf", "n_samples_per_prom", "n_samples_per_prompt"),
        ("openrlhf", "actor_", "actor_"),
        ("verl", "num_train_epoch", "num_train_epoch"),
        ("", "num_train_epoch", "num_train_epoch"),
    ],
)
def test_a_name_is_made_whole_by_its_framework(framework: str, beginning: str, name: str) -> None:
    assert whole_name(framework, beginning) == name


def test_an_option_of_openrlhf_is_not_made_one_of_trl() -> None:
    words = "--vllm_enable_sleep --n_samples_per_prom 8 --pretrain org/small --advantage_estimator group_norm"
    text = f"python3 -m openrlhf.cli.train_ppo_ray {words}\n"
    document = load(read(Source("run.sh", text), ReadOptions())).document
    assert {leaf.key for leaf in document.leaves} == {
        "vllm_enable_sleep", "n_samples_per_prompt", "pretrain", "advantage_estimator",
    }  # fmt: skip
