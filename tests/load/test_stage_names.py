"""Names of stages."""

from __future__ import annotations

import pytest

from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

TEXT = """mode: both
model: {model_path: Qwen/Qwen3-4B}
stages:
  - stage_name: NAME
    algorithm: {algorithm_type: grpo}
    buffer: {batch_size: 8}
"""


@pytest.mark.parametrize(("written", "name"), [("warm", "warm"), ("null", "stage_0"), ("7", "7")])
def test_a_stage_without_a_name_is_called_by_its_number(written: str, name: str) -> None:
    loaded = load(read(Source("run.yaml", TEXT.replace("NAME", written))), framework="trinity")
    assert [stage.name for stage in loaded.stages] == [name]
