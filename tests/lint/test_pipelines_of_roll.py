"""A config of ROLL's does not say which of its pipelines starts it; one of the older ones goes without domains."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.lint import engine
from rftconf.text.read.read import read
from rftconf.text.source import Source

MATH = """\
rollout_batch_size: 64
prompt_length: 1024
response_length: 1024
max_steps: 10
adv_estimator: grpo
pretrain: org/model
actor_train:
  data_args: {file_name: ./data/geoqa}
  training_args: {per_device_train_batch_size: 1, gradient_accumulation_steps: 8}
  strategy_args: {strategy_name: megatron_train}
  device_mapping: list(range(0,8))
actor_infer:
  strategy_args: {strategy_name: vllm}
  device_mapping: list(range(0,8))
rewards:
  math_rule: {worker_cls: a.B, world_size: 1}
"""
"""The form of examples/qwen2.5-vl-7B-math, which start_rlvr_vlmath_pipeline.py of 0.1 starts."""


@pytest.mark.parametrize(
    ("release", "severities"),
    [("0.1.3", []), ("0.3.0", [Severity.ERROR]), (None, [Severity.WARNING])],
)
def test_one_reward_without_domains(release: str | None, severities: list[Severity]) -> None:
    """rlvr_math_vlm_pipeline.py takes the first reward; 0.2.1 has no such pipeline. A guess takes either for possible."""
    options = engine.Options(framework="roll", release=release)
    diagnostics = engine.check(read(Source("a.yaml", MATH)), options)
    assert [d.severity for d in diagnostics if d.code == "DIA317"] == severities
