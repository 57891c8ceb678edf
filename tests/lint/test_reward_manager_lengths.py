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


@pytest.mark.parametrize(("message", "is_found_there"), [("", True), ("8192", False), ("1024", False), ("1000", True)])
def test_a_buffer_is_held_against_the_length_that_the_manager_is_told(message: str, is_found_there: bool) -> None:
    text = RUN + (f" +reward.reward_kwargs.max_resp_len={message}" if message else "")
    assert (
        "LEN012" in {diagnostic.code for diagnostic in check(read(Source("run.sh", f"{text}\n")))}
    ) is is_found_there
