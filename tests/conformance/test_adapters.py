"""Converted data and rewards in the frameworks themselves: the same question, the same truth, the same score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.conversions import convert
from tests.conformance.environment import TRINITY_TARGETS, VERL_TARGETS, Target
from tests.conformance.environment import folder as environment
from tests.conformance.judging import Bench, Verdict
from tests.conformance.launching import overrides_of
from tests.conformance.samples import VERL_GRPO
from tests.convert.adapters.samples import module, put, run_script

RESPONSES = ["5", "five"]
FUNCTION = """
def judge(data_source, solution_str, ground_truth, extra_info, weight=1.0):
    right = solution_str == ground_truth or solution_str == extra_info.get("answer")
    return {"score": weight * right + 0.25 * (data_source == "sums"), "length": len(solution_str)}
"""
REWARD_CLASS = """
from trinity.common.rewards import RewardFn
class Judge(RewardFn):
    def __init__(self, weight=1.0):
        self.weight = weight
    def __call__(self, response, truth=None, prompt=None):
        return {"accuracy": self.weight * (response == truth), "format": 0.5 * response.isdigit()}
"""
VERL_ROWS = [
    {
        "data_source": "sums",
        "prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+3?"}],
        "ability": "math",
        "reward_model": {"style": "rule", "ground_truth": "5"},
        "extra_info": {"split": "train", "index": 0, "answer": "five"},
    },
    {
        "data_source": "other",
        "prompt": [
            {"role": "user", "content": "Hello <b>\"'"},
            {"role": "assistant", "content": "你好"},
            {"role": "user", "content": "4+5?"},
        ],
        "ability": "math",
        "reward_model": {"style": "rule", "ground_truth": "9"},
        "extra_info": {"split": "train", "index": 1, "answer": "nine"},
    },
]
TRINITY_ROWS = [{"q": "2+3?", "a": "5", "level": 1}, {"q": "四加五?", "a": "9", "level": 2}]
TRINITY = """
mode: both
project: p
name: n
checkpoint_root_dir: /tmp/checkpoints
algorithm: {{algorithm_type: grpo, repeat_times: 8}}
model: {{model_path: Qwen/Qwen2.5-7B-Instruct, max_prompt_tokens: 512, max_response_tokens: 1024}}
cluster: {{node_num: 1, gpu_per_node: 8}}
buffer:
  batch_size: 64
  total_steps: 10
  explorer_input:
    tasksets:
    - name: sums
      path: {folder}
      split: train
      format: {{prompt_key: q, response_key: a, system_prompt: "Be brief."}}
      default_workflow_type: simple_workflow
      default_reward_fn_type: judging.Judge
      reward_fn_args: {{weight: 2.0}}
explorer: {{rollout_model: {{engine_num: 2, tensor_parallel_size: 1}}}}
synchronizer: {{sync_method: nccl, sync_interval: 1}}
"""


def told(verdict: Verdict) -> list[dict[str, Any]]:
    assert verdict.ok, str(verdict)
    return sorted(verdict.config, key=lambda row: str(row["truth"]))  # newer releases shuffle


def ask(bench: Bench, target: Target, file: Path, folder: Path, plugin: Path | None = None) -> list[dict[str, Any]]:
    case: dict[str, Any] = {"responses": RESPONSES, "rows": 2, "path": [str(folder)]}
    if target.framework == "verl":
        case["path"].append(str(environment() / "releases" / f"trinity-{TRINITY_TARGETS[-1].release}"))
        return told(bench.ask(target, case | {"overrides": overrides_of(file, folder)}))
    return told(bench.ask(target, case | {"file": str(file), "plugin": str(plugin) if plugin else None}))


def converted(source: Path, target: Target, folder: Path) -> Path:
    """The config for `target`, with its data converted."""
    done = convert(source, target, folder, ["--adapters", str(folder / "adapters"), "--rows", "7473"])
    assert done.code == 0, done.said
    run_script(module((folder / "adapters" / "convert_data.py").read_text()))
    return done.file


def verl_run(folder: Path) -> Path:
    """A veRL run over VERL_ROWS with a reward function of the user's own."""
    (folder / "mine.py").write_text(FUNCTION)
    data = put(folder / "sums" / "train.parquet", VERL_ROWS)
    own = {
        "data.train_files": str(data),
        "data.val_files": str(data),
        "reward.custom_reward_function.path": str(folder / "mine.py"),
        "reward.custom_reward_function.name": "judge",
        "+reward.custom_reward_function.reward_kwargs.weight": "2.0",
    }
    words = [f"{key}={value}" for key, value in (VERL_GRPO | own).items()]
    script = folder / "run.sh"
    script.write_text("python3 -m verl.trainer.main_ppo " + " \\\n    ".join(words) + "\n")
    return script


def trinity_run(folder: Path) -> Path:
    """A Trinity run over TRINITY_ROWS with a reward class of the user's own."""
    (folder / "judging.py").write_text(REWARD_CLASS)
    put(folder / "sums" / "train.parquet", TRINITY_ROWS)
    file = folder / "run.yaml"
    file.write_text(TRINITY.format(folder=folder / "sums"))
    return file


@pytest.mark.parametrize("target", TRINITY_TARGETS, ids=str)
def test_verl_to_trinity(bench: Bench, target: Target, tmp_path: Path) -> None:
    source = verl_run(tmp_path)
    before = ask(bench, VERL_TARGETS[-1], source, tmp_path)
    assert [row["scores"] for row in before] == [{"5": 2.25, "five": 2.25}, {"5": 0.0, "five": 0.0}]
    file = converted(source, target, tmp_path)
    assert ask(bench, target, file, tmp_path, tmp_path / "adapters" / "plugin") == before


@pytest.mark.parametrize("target", VERL_TARGETS, ids=str)
def test_trinity_to_verl(bench: Bench, target: Target, tmp_path: Path) -> None:
    """The reward is Trinity's own class: Trinity 0.6.0 lies beside veRL, as somebody who converts would install it."""
    source = trinity_run(tmp_path)
    before = ask(bench, TRINITY_TARGETS[-1], source, tmp_path)
    assert [row["scores"] for row in before] == [{"5": 2.5, "five": 0.0}, {"5": 0.5, "five": 0.0}]
    assert before[0]["asked"].startswith("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n2+3?")
    if target.release == "0.2.0":
        done = convert(source, target, tmp_path, ["--adapters", str(tmp_path / "adapters"), "--rows", "7473"])
        assert done.code == 3
        assert "veRL 0.2.0 takes no reward function" in " ".join(done.said.split())
        return
    file = converted(source, target, tmp_path)
    assert ask(bench, target, file, tmp_path) == before
