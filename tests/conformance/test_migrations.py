"""Examples of older releases, migrated: the newest release accepts them, as the plan that rftconf reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.schemas.registry import TRINITY, VERL
from tests.conformance.conversions import differences_after, judge
from tests.conformance.environment import Target
from tests.conformance.judging import Bench
from tests.conformance.migration_runner import migrated
from tests.conformance.migrations import target_of, unread
from tests.corpus import Real, corpora

SETS = ("veRL 0.5.0 scripts", "veRL 0.7 scripts")
PER_SET = 4


def sample() -> list[Real]:
    """A few of each set, evenly spread."""
    values = [corpora()[name] for name in SETS]
    return [reals[index * len(reals) // PER_SET] for reals in values if reals for index in range(PER_SET)]


TARGET = Target(VERL.name, VERL.newest)


@pytest.mark.parametrize("target", [TARGET], ids=str)
@pytest.mark.parametrize("real", sample(), ids=lambda real: f"{real.release}-{real.name}")
def test_what_its_own_release_accepts_the_newest_accepts(
    bench: Bench, target: Target, real: Real, tmp_path: Path
) -> None:
    own = target_of(real.framework, real.release)
    source = real.write(tmp_path)
    if not judge(bench, own, source, tmp_path).ok:
        pytest.skip("its own release refuses it")
    out = tmp_path / "migrated.sh"
    code, report = migrated(source, own, target, out)
    assert code == 0, report
    verdict = judge(bench, target, out, tmp_path)
    assert verdict.ok, verdict
    assert differences_after(target, verdict, out, tmp_path) == []
    assert unread(out, target) == []


OLD_TRINITY = """\
project: p
name: n
algorithm:
  algorithm_type: grpo
  repeat_times: 8
  optimizer:
    lr: 1e-6
    warmup_style: cosine
model:
  model_path: /models/qwen
  max_response_tokens: 512
  max_model_len: 1024
cluster:
  node_num: 1
  gpu_per_node: 8
buffer:
  total_epochs: 1
  batch_size: 64
  explorer_input:
    taskset:
      name: t
      storage_type: file
      path: /data/gsm8k
      split: train
      format:
        prompt_key: question
        response_key: answer
    default_workflow_type: math_workflow
explorer:
  rollout_model:
    engine_num: 4
synchronizer:
  sync_method: nccl
  sync_interval: 1
trainer:
  trainer_type: verl
  trainer_config:
    actor_rollout_ref:
      model:
        use_remove_padding: true
    trainer:
      balance_batch: true
"""


@pytest.mark.parametrize("target", [target_of(TRINITY.name, TRINITY.newest)], ids=str)
def test_trinity(bench: Bench, target: Target, tmp_path: Path) -> None:
    source, out = tmp_path / "run.yaml", tmp_path / "migrated.yaml"
    source.write_text(OLD_TRINITY)
    own = target_of(TRINITY.name, "0.3.3")
    assert judge(bench, own, source, tmp_path).ok
    code, report = migrated(source, own, target, out)
    assert code == 0, report
    verdict = judge(bench, target, out, tmp_path)
    assert verdict.ok, verdict
    assert differences_after(target, verdict, out, tmp_path) == []
    assert unread(out, target) == []
