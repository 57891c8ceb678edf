"""LEN012 asks of the length that the reward manager is told, as its assertion does."""

from __future__ import annotations

import pytest

from rftconf.lint.engine import check
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = (
    "python3 -m verl.trainer.main_ppo data.max_response_length=512 reward.reward_manager.name=dapo"
    " +reward.reward_kwargs.overlong_buffer_cfg.len=1024"
)


@pytest.mark.parametrize(("told", "found"), [("", True), ("8192", False), ("1024", False), ("1000", True)])
def test_a_buffer_is_held_against_the_length_that_the_manager_is_told(told: str, found: bool) -> None:
    text = RUN + (f" +reward.reward_kwargs.max_resp_len={told}" if told else "")
    assert ("LEN012" in {one.code for one in check(read(Source("run.sh", f"{text}\n")))}) is found
