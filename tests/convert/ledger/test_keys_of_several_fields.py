"""A key that stands for several fields is dead in the target only where none of them acts there."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import SourceLine, State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = """\
model_name_or_path: Qwen/Qwen2.5-7B
dataset_name: a/b
reward_funcs: accuracy_reward
per_device_train_batch_size: 8
num_generations: 8
max_completion_length: 512
beta: 0.0
dtype: bfloat16
num_processes: 8
use_deepspeed: true
zero_stage: 3
"""


def line_of(key: str) -> SourceLine:
    """The source line of a key of a run without a reference, written for veRL."""
    done = convert(read(Source("grpo.yaml", RUN)), "verl", framework="trl", to_release="0.9.1")
    return next(line for line in done.ledger.sources if line.key == key)


@pytest.mark.parametrize("key", ["per_device_train_batch_size", "dtype"])
def test_a_key_that_sets_the_trainer_too_is_not_dead_for_want_of_a_reference(key: str) -> None:
    line = line_of(key)
    assert line.state is State.EXACT
    assert any("reference" in path for path in line.plan)


def test_the_engine_that_trains_is_lost_and_not_dead() -> None:
    line = line_of("zero_stage")
    assert line.state is State.NO_COUNTERPART
    assert "deepspeed" in line.reason
