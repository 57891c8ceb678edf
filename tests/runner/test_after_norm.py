"""ROLL normalizes rewards before it takes the KL from them, and clips both: what of its words becomes a job, and what is refused."""

from __future__ import annotations

from math import inf

import pytest
from rftconf_runner.job import Job
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_job import plan

ROLL = """
pretrain: /m
reward_pretrain: /m
rollout_batch_size: 8
prompt_length: 16
response_length: 16
max_steps: 20
ppo_epochs: 1
adv_estimator: grpo
num_return_sequences_in_group: 4
num_gpus_per_node: 1
actor_train:
  model_args: {dtype: fp32}
  training_args: {learning_rate: 1.0e-6, per_device_train_batch_size: 4, gradient_accumulation_steps: 8}
  data_args: {file_name: /d/train.jsonl, domain_interleave_probs: {math_rule: 1.0}}
  strategy_args: {strategy_name: fsdp2_train}
  device_mapping: list(range(0,1))
  infer_batch_size: 4
actor_infer:
  model_args: {dtype: fp32}
  generating_args: {temperature: 1.0, max_new_tokens: 16, num_return_sequences: 4}
  strategy_args: {strategy_name: vllm}
  device_mapping: list(range(0,1))
reference:
  model_args: {dtype: fp32}
  strategy_args: {strategy_name: fsdp2_infer}
  device_mapping: list(range(0,1))
rewards:
  math_rule: {worker_cls: roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker, tag_included: [math]}
"""


def roll(more: str = "") -> Plan:
    """The plan of the config above with further lines; its reward is given."""
    from rftconf_runner.rules import give

    read_plan = load(read(Source("run.yaml", ROLL + more)), release="0.3.0").plan
    give(read_plan, "exact")
    return read_plan


def job(more: str = "") -> Job:
    return job_of(roll(more))


def test_rolls_rewards_are_normalized_first_and_verls_are_not() -> None:
    assert job().after_norm
    assert not job_of(plan()).after_norm


def test_clips_are_those_of_the_config() -> None:
    """A reward's clip of 0 is none in ROLL's code (`if reward_clip`), an advantage's clip of 0 is one (`is not None`)."""
    clipped = job("reward_clip: 5\nadvantage_clip: 2.0\n")
    assert (clipped.reward_clip, clipped.advantage_clip) == (5, 2.0)
    off = job("reward_clip: 0\nadvantage_clip: 0\n")
    assert (off.reward_clip, off.advantage_clip) == (inf, 0)


@pytest.mark.parametrize("line", ["reward_clip: 5", "advantage_clip: 2.0"])
def test_neither_clip_is_refused(line: str) -> None:
    name = line.partition(":")[0]
    assert not [refusal for refusal in refusals(roll(line + "\n")) if name in refusal.path]


def test_kl_after_the_normalization_is_executed() -> None:
    paths = [refusal.path for refusal in refusals(roll("add_token_level_kl: true\ninit_kl_coef: 0.1\n"))]
    assert "stage.algorithm.kl_reward.order" not in paths
