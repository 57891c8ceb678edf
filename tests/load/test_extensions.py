"""Live keys that no plan field holds are kept in the plan."""

from __future__ import annotations

import pytest

from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

LAUNCH = "python3 -m verl.trainer.sft_trainer WORDS optim.lr=1e-5 data.train_files=a.parquet model.path=x\n"
KEY = "optim.override_optimizer_config.optimizer_cpu_offload"


@pytest.mark.parametrize("words", ["", "optim=megatron engine=megatron"])
def test_a_word_of_a_config_group_holds_nothing_below_its_name(words: str) -> None:
    script = LAUNCH.replace("WORDS", f"{words} +{KEY}=true")
    plan = load(read(Source("run.sh", script)), framework="verl_sft", release="0.9.1").plan
    assert plan.extensions["verl_sft"] == {KEY: True}
    assert plan.beyond == [KEY], "arguments of the optimizer change the mathematics"
