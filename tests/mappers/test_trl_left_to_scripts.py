"""A config of TRL's for a script of somebody's own leaves model and data to the script: whoever converts it is asked."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import MISSING, OpenKey
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

YAML = """\
num_generations: 8
max_completion_length: 512
num_processes: 4
per_device_train_batch_size: 8
max_steps: 10
"""
SCRIPT = """\
accelerate launch --num_processes 4 train.py --num_generations 8 --max_completion_length 512 \\
  --per_device_train_batch_size 8 --max_steps 10
"""


def targets(text: str, to: str, name: str = "grpo.yaml", release: str = "1.16.0", **bindings: str) -> dict[str, object]:
    document = read(Source(name, text), ReadOptions(bindings=bindings))
    converted = convert(document, to, framework="trl", release=release)
    return {line.key.lstrip("+"): line.value for line in converted.ledger.targets}


def is_asked(value: object) -> bool:
    return value == MISSING or isinstance(value, OpenKey) or value == [MISSING]


@pytest.mark.parametrize(
    ("to", "model", "data"),
    [
        ("verl", "actor_rollout_ref.model.path", "data.train_files"),
        ("trinity", "model.model_path", "buffer.explorer_input.tasksets[0].path"),
        ("roll", "pretrain", "actor_train.data_args.file_name"),
        ("chatlearn", "models.policy.load", "runtime_args.data_path"),
    ],
)
def test_the_targets_own_model_and_data_do_not_stand_in(to: str, model: str, data: str) -> None:
    """veRL would train deepseek-llm-7b-chat on gsm8k where a file says nothing."""
    written = targets(YAML, to)
    assert is_asked(written[model])
    assert is_asked(written[data])


def test_the_answer_that_the_question_names_answers_it() -> None:
    written = targets(YAML, "verl", model_name_or_path="org/m", max_prompt_length="256")
    assert written["actor_rollout_ref.model.path"] == "org/m"
    assert written["data.max_prompt_length"] == 256


@pytest.mark.parametrize("release", ["0.26.2", "1.16.0"])
def test_an_option_that_the_script_lacks_is_given_by_its_name(release: str) -> None:
    """TRL cuts no prompt since 0.26, so that a limit is asked for; no line of the script reads a variable of that name."""
    written = targets(SCRIPT, "verl", "run.sh", release, max_prompt_length="256", model_name_or_path="org/m")
    assert (written["data.max_prompt_length"], written["actor_rollout_ref.model.path"]) == (256, "org/m")
    document = read(Source("run.sh", SCRIPT), ReadOptions(bindings={"max_prompt_length": "256"}))
    assert not [d for d in document.diagnostics if d.code == "SYN160"]


def test_a_limit_that_the_release_ignores_is_no_answer() -> None:
    written = targets(f"{YAML}max_prompt_length: 256\n", "verl", release="0.26.2")
    assert is_asked(written["data.max_prompt_length"])


def test_within_trl_the_script_still_names_the_model() -> None:
    assert "model_name_or_path" not in targets(YAML, "trl")


def test_engines_of_a_server_take_one_gpu_unless_told_otherwise() -> None:
    """trl/scripts/vllm_serve.py: tensor_parallel_size defaults to 1; veRL's own default is 2, which one GPU does not divide into."""
    served = f"{YAML}model_name_or_path: m\nuse_vllm: true\nvllm_mode: server\nnum_machines: 1\n".replace(
        "num_processes: 4", "num_processes: 1"
    )
    assert targets(served, "verl")["actor_rollout_ref.rollout.tensor_model_parallel_size"] == 1


def test_no_answer_is_what_the_release_refuses() -> None:
    """veRL took hf as an engine up to 0.7.0; TRL's trainer generates by itself where use_vllm is false."""
    document = read(Source("grpo.yaml", f"{YAML}use_vllm: false\n"))
    decisions = convert(document, "verl", framework="trl", release="1.16.0").ledger.decisions
    (engine,) = (decision for decision in decisions if decision.key == "actor_rollout_ref.rollout.name")
    assert engine.choices == ("vllm", "sglang", "trtllm")
