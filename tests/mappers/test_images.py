"""Prompts with images: what drops them without a word is never what a conversion leaves behind."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import Conversion, convert
from rftconf.mappers.images import sees_images
from rftconf.text.read.read import read
from rftconf.text.source import Source

TEXT = """\
mode: both
algorithm: {algorithm_type: grpo, repeat_times: 8}
model: {model_path: Qwen/Qwen2.5-VL-3B-Instruct, max_response_tokens: 1024, max_model_len: 4096}
cluster: {node_num: 1, gpu_per_node: 8}
buffer:
  total_steps: 100
  batch_size: 32
  explorer_input:
    taskset:
      name: geometry
      storage_type: file
      path: geometry/train.parquet
      format: {prompt_key: problem, response_key: answer%s}
    default_workflow_type: simple_mm_workflow
explorer: {rollout_model: {engine_num: 4}}
"""
MODELS = [("Qwen/Qwen2.5-VL-3B-Instruct", "simple_mm_workflow"), ("Qwen/Qwen3-8B", "math_workflow")]
SCRIPT = (
    "python3 -m verl.trainer.main_ppo data.train_files=geometry/train.parquet data.val_files=geometry/test.parquet "
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-VL-3B-Instruct trainer.n_gpus_per_node=8 trainer.nnodes=1%s\n"
)


def of_trinity(to: str, column: str = ", image_key: images", release: str | None = None) -> Conversion:
    return convert(read(Source("run.yaml", TEXT % column)), to, to_release=release)


def question(done: Conversion, key: str) -> str:
    (why,) = [decision.why for decision in done.ledger.decisions if decision.key == key]
    return why


def workflows(done: Conversion) -> list[str]:
    """Return the workflows that are offered, without what each does."""
    (match,) = [decision for decision in done.ledger.decisions if decision.key.endswith("default_workflow_type")]
    return [choice.partition(":")[0] for choice in match.choices]


def test_roll_is_started_by_its_program_for_images() -> None:
    assert "start_rlvr_vl_pipeline.py" in question(of_trinity("roll"), "actor_train.data_args")
    assert "start_rlvr_vl_pipeline.py" not in question(of_trinity("roll", column=""), "actor_train.data_args")


def test_chatlearn_s_model_is_one_that_sees_images() -> None:
    done = of_trinity("chatlearn")
    assert "model_type: vlm" in done.text
    assert "messages" in question(done, "runtime_args.data_path")
    assert "model_type" not in of_trinity("chatlearn", column="").text


def test_chatlearn_s_first_release_has_no_such_models() -> None:
    with pytest.raises(RefusedError, match="reads text alone"):
        of_trinity("chatlearn", release="1.2.0")


def test_a_column_that_is_named_is_one_of_images_whatever_the_model_is_called() -> None:
    script = SCRIPT.replace("Qwen/Qwen2.5-VL-3B-Instruct", "/models/mine") % " data.image_key=pictures"
    done = convert(read(Source("run.sh", script)), "trinity")
    offers = workflows(done)
    assert offers[0] == "simple_mm_workflow"
    assert "image_key: pictures" in done.text


def test_a_config_that_is_written_out_in_full_has_no_images_for_that() -> None:
    script = (
        SCRIPT.replace("Qwen/Qwen2.5-VL-3B-Instruct", "Qwen/Qwen3-8B") % " data.image_key=images data.video_key=videos"
    )
    offers = workflows(convert(read(Source("run.sh", script)), "trinity"))
    assert offers[0] == "math_workflow"


ROLL = """\
exp_name: run
pretrain: %s
rollout_batch_size: 64
prompt_length: 1024
response_length: 1024
num_return_sequences_in_group: 8
num_gpus_per_node: 8
max_steps: 100
adv_estimator: grpo
actor_train:
  data_args: {file_name: [geometry/train.parquet], messages: prompt, domain_interleave_probs: {math: 1.0}}
  training_args: {learning_rate: 1.0e-6, per_device_train_batch_size: 1, gradient_accumulation_steps: 64}
  strategy_args: {strategy_name: fsdp2_train}
  device_mapping: list(range(0,8))
actor_infer: {strategy_args: {strategy_name: vllm}, device_mapping: "list(range(0,8))"}
rewards: {math: {worker_cls: roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker, tag_included: [math]}}
"""


@pytest.mark.parametrize(("model", "workflow"), MODELS)
def test_a_model_that_sees_images_reads_the_column_that_verl_reads_by_itself(model: str, workflow: str) -> None:
    done = convert(read(Source("run.sh", SCRIPT.replace("Qwen/Qwen2.5-VL-3B-Instruct", model) % "")), "trinity")
    offers = workflows(done)
    assert offers[0] == workflow
    assert ("image_key: images" in done.text) is (workflow == "simple_mm_workflow")


@pytest.mark.parametrize(("model", "workflow"), MODELS)
def test_a_model_that_sees_images_reads_those_of_its_rows(model: str, workflow: str) -> None:
    done = convert(read(Source("run.yaml", ROLL % model)), "trinity")
    offers = workflows(done)
    assert offers[0] == workflow
    assert ("image_key: images" in done.text) is (workflow == "simple_mm_workflow")


@pytest.mark.parametrize(
    ("model", "sees"),
    [("Qwen/Qwen2.5-VL-7B-Instruct", True), ("Qwen3-Omni-30B-A3B", True), ("OpenGVLab/InternVL3-8B", True), ("/m/llava-1.5-7b", True),
     ("Qwen/Qwen3-8B", False), ("evil-model", False), ("google/gemma-3-4b", False), (None, False), (3, False)],
)  # fmt: skip
def test_models_of_vision_and_language_are_known_by_their_names(model: object, sees: bool) -> None:
    assert sees_images(model) is sees


@pytest.mark.parametrize(("name", "sees"), [("Qwen2.5-VL-7B", True), ("Qwen2.5-7B", False)])
def test_a_model_is_known_by_its_name_in_a_folder_that_is_not_known(name: str, sees: bool) -> None:
    model = "${oc.env:MODELS}/" + name
    done = convert(read(Source("run.yaml", ROLL % model)), "trinity")
    assert ("image_key: images" in done.text) is sees
