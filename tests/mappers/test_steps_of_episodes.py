"""Where each step of an episode is a sequence of its own, an update is no number of answers: that is asked, and never computed."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.test_batches_of_forks import ROLL
from tests.mappers.test_trinity_notes import CONFIG

TRINITY = CONFIG.replace("megatron", "fsdp").replace("batch_size: 96", "batch_size: 16\n  train_batch_size: 512")
WORLD = """
rollout_batch_size: 128
val_batch_size: 128
sequence_length: 8192
max_steps: 10
pretrain: /m
adv_estimator: gigpo
actor_train:
  device_mapping: list(range(0,8))
  strategy_args: {{strategy_name: deepspeed_train}}
  training_args: {{per_device_train_batch_size: 4, gradient_accumulation_steps: 16}}
actor_infer: {{device_mapping: "list(range(0,8))", strategy_args: {{strategy_name: vllm}}}}
train_env_manager: {{max_env_num_per_worker: 16, num_env_groups: 16, group_size: 8, tags: [Sokoban], num_groups_partition: [16]}}
custom_envs:
  Sokoban: {{env_type: sokoban, max_steps: 10, env_manager_cls: roll.pipeline.agentic.env_manager.{}, env_config: {{dim_room: [6, 6]}}}}
"""


def loaded(text: str, framework: str, **assume: str) -> Loaded:
    return load(read(Source("c.yaml", text)), framework=framework, assume=assume)


def of(what: Loaded, to: str) -> Conversion:
    return convert_loaded(what, to, Options())


def update(what: Loaded) -> str:
    return str(what.stages[0].values["stage.batch.sequences_per_update"])


def with_workflow(name: str) -> str:
    return TRINITY.replace("explorer_input: {", f"explorer_input: {{default_workflow_type: {name}, ")


@pytest.mark.parametrize("name", ["agentscope_workflow_adapter", "email_search_workflow", "sudoku_workflow"])
def test_workflows_that_hand_back_what_was_said_at_each_step(name: str) -> None:
    run = loaded(with_workflow(name), "trinity")
    assert update(run) == "512 / steps_per_episode"
    choices = {choice for decision in of(run, "roll").ledger.decisions for choice in decision.choices}
    assert "--assume steps_per_episode=N" in choices
    assert "train_batch_size: 512" in of(run, "trinity").text
    assert update(loaded(with_workflow(name), "trinity", steps_per_episode="4")) == "128"


@pytest.mark.parametrize("name", ["math_workflow", "alfworld_workflow"])
def test_other_workflows_hand_back_one_experience_an_answer(name: str) -> None:
    assert update(loaded(with_workflow(name), "trinity")) == "512"
    assert update(loaded(with_workflow(name), "trinity", mini_batch="steps")) == "512 / steps_per_episode"


def test_a_workflow_of_somebodys_own_hands_back_answers_where_these_make_whole_updates() -> None:
    own = with_workflow("of_my_own")
    assert update(loaded(own, "trinity")) == "512 / steps_per_episode"
    assert update(loaded(own.replace("train_batch_size: 512", "train_batch_size: 64"), "trinity")) == "64"
    assert update(loaded(own, "trinity", mini_batch="samples")) == "512"


def test_an_advantage_of_steps_says_so_as_well() -> None:
    steps = TRINITY.replace("algorithm_type: grpo", "algorithm_type: multi_step_grpo")
    assert update(loaded(steps, "trinity")) == "512 / steps_per_episode"
    assert update(loaded(with_workflow("sudoku_workflow"), "trinity", mini_batch="samples")) == "512"


def test_environment_managers_of_roll_that_make_a_sample_of_each_step() -> None:
    by_step = loaded(WORLD.format("step_env_manager.StepEnvManager"), "roll")
    assert update(by_step) == "512 / steps_per_episode"
    assert "gradient_accumulation_steps: 16" in of(by_step, "roll").text
    assert update(loaded(WORLD.format("traj_env_manager.TrajEnvManager"), "roll")) == "512"
    assert update(loaded(ROLL.format(16), "roll")) == "512"
