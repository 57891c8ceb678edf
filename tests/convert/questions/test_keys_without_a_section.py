"""A key that stands in no section, as all of ROLL's first ones, is answered by its plain name where the file lacks it."""

from __future__ import annotations

from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

WORLD = """\
rollout_batch_size: 128
sequence_length: 1024
pretrain: org/model
num_gpus_per_node: 8
adv_estimator: grpo
actor_train: {device_mapping: "list(range(0,8))", strategy_args: {strategy_name: megatron_train}}
actor_infer: {device_mapping: "list(range(0,8))", strategy_args: {strategy_name: vllm}}
train_env_manager: {num_env_groups: 16, group_size: 8, tags: [FrozenLake]}
custom_envs: {FrozenLake: {env_type: frozen_lake}}
logging_dir: ${oc.env:logs}
"""


def converted(**bindings: str) -> dict[str, object]:
    document = read(Source("run.yaml", WORLD), ReadOptions(bindings=bindings))
    return {line.key: line.value for line in convert(document, "verl", framework="roll").ledger.targets}


def test_the_answer_that_the_question_names_answers_it() -> None:
    """traj_env_manager gives a conversation sequence_length as a whole, so that the first prompt's part is asked for."""
    assert converted()["data.max_response_length"] != 512
    answered = converted(prompt_length="512")
    assert (answered["data.max_prompt_length"], answered["data.max_response_length"]) == (512, 512)


def test_a_variable_of_the_environment_is_no_key() -> None:
    document = read(Source("run.yaml", WORLD), ReadOptions(bindings={"logs": "/l"}))
    assert "logs" not in {leaf.key for leaf in document.leaves}
