"""Batches that only a fork of ROLL or ChatLearn can mean: an update larger than the period that it is cut from."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import convert
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

ROLL = """
pretrain: /m
rollout_batch_size: 64
adv_estimator: grpo
num_return_sequences_in_group: 8
prompt_length: 512
response_length: 512
max_steps: 10
actor_train:
  device_mapping: list(range(0,8))
  strategy_args: {{strategy_name: fsdp2_train}}
  data_args: {{file_name: [/d/a.jsonl]}}
  training_args: {{per_device_train_batch_size: 4, gradient_accumulation_steps: {}}}
actor_infer: {{device_mapping: "list(range(0,8))", strategy_args: {{strategy_name: vllm}}}}
rewards: {{math: {{worker_cls: own.Worker, tag_included: [math]}}}}
"""
CHATLEARN = (
    "python chatlearn/entrypoint.py grpo --config-file template/grpo_fsdp.yaml runtime_args.sample_per_episode=128 "
    "models.policy.num_inference_per_prompt=8 runtime_args.num_inference_per_prompt=8 runtime_args.train_global_batch_size={}"
)


def roll(steps: int) -> Document:
    return read(Source("run.yaml", ROLL.format(steps)), ReadOptions())


def chatlearn(update: int) -> Document:
    return read(Source("run.sh", CHATLEARN.format(update)), ReadOptions())


@pytest.mark.parametrize("to", ["verl", "trinity", "chatlearn"])
def test_an_update_of_roll_that_no_period_fills(to: str) -> None:
    assert convert(roll(16), to).text
    with pytest.raises(RefusedError, match=r"1024 sequences .* yields 512") as refused:
        convert(roll(32), to)
    assert "at most 512" in refused.value.choices[0]


@pytest.mark.parametrize("to", ["verl", "trinity", "roll"])
def test_an_update_of_chatlearn_that_no_episode_fills(to: str) -> None:
    assert convert(chatlearn(128), to).text
    with pytest.raises(RefusedError, match="train_global_batch_size=512 is more than sample_per_episode=128"):
        convert(chatlearn(512), to)


def test_within_a_framework_files_stay_as_they_are() -> None:
    assert "gradient_accumulation_steps: 32" in convert(roll(32), "roll").text
