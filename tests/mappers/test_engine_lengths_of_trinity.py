"""Lengths of a Trinity-RFT config that only its engine names: they were the run's keys before 0.3.3."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

CONFIG = """\
algorithm: {algorithm_type: grpo, repeat_times: 8}
model: {model_path: Qwen/Qwen2.5-7B-Instruct%s}
cluster: {node_num: 1, gpu_per_node: 8}
buffer: {batch_size: 32, total_epochs: 1, explorer_input: {taskset: {path: /d}, default_workflow_type: math_workflow}}
explorer: {rollout_model: {engine_num: 4, max_prompt_tokens: 1024, max_response_tokens: 20480}}
synchronizer: {sync_method: nccl, sync_interval: 1}
"""
BOTH = tuple(f"stage.length.{part}_max_tokens" for part in ("prompt", "response"))


@pytest.mark.parametrize(
    ("own", "lengths"),
    [
        ("", (1024, 20480)),
        (", max_prompt_tokens: 512, max_response_tokens: 2048", (512, 2048)),
        (", max_model_len: null", (1024, 20480)),
    ],
)
def test_the_engines_lengths_are_the_runs_where_the_model_block_has_none(own: str, lengths: tuple[int, int]) -> None:
    """0.3.3 overwrites the engine's with the model's, and stops without any (_check_model, check_and_update)."""
    values = load(read(Source("a.yaml", CONFIG % own)), framework="trinity", release="0.3.3").stages[0].values
    assert tuple(values[path] for path in BOTH) == lengths


def test_an_answers_limit_is_not_left_to_the_targets_default() -> None:
    converted = convert(read(Source("a.yaml", CONFIG % "")), "roll", framework="trinity", release="0.3.3", rows=7473)
    written = {line.key: line.value for line in converted.ledger.targets}
    assert (written["prompt_length"], written["response_length"]) == (1024, 20480)
