"""Limits in seconds that cut long answers off, and validation files that nobody named, are asked about."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import Ledger
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

SCRIPT = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=/d/train.parquet {more} "
    "data.max_prompt_length=512 data.max_response_length={longest} data.train_batch_size=128 actor_rollout_ref.model.path=/m "
    "actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 "
    "actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8\n"
)


def ledger(to: str, longest: int = 1024, more: str = "") -> Ledger:
    return convert(read(Source("run.sh", SCRIPT.format(longest=longest, more=more))), to).ledger


@pytest.mark.parametrize(("longest", "asks"), [(40_000, True), (1024, False)])
def test_a_limit_in_seconds_is_asked_about_where_answers_may_take_longer(longest: int, asks: bool) -> None:
    """explorer.max_timeout is 1800 s for a task (trinity/common/config.py); 40,000 tokens take longer on a busy engine."""
    questions = {decision.key: decision.why for decision in ledger("trinity", longest).decisions}
    assert ("explorer.max_timeout" in questions) is asks
    assert "longer than 1800 s is dropped here" in questions.get(
        "explorer.max_timeout", "longer than 1800 s is dropped here"
    )


@pytest.mark.parametrize(
    ("to", "key"),
    [("trinity", "buffer.explorer_input.eval_tasksets[0].path"), ("roll", "validation.data_args.file_name")],
)
def test_an_open_file_among_validation_files_is_asked_for(to: str, key: str) -> None:
    files = ledger(to, more='"data.val_files=[???,/d/b.parquet]"')
    assert key in [decision.key for decision in files.decisions]


def test_no_note_is_about_a_part_that_the_source_does_not_run() -> None:
    """There is no critic, no KL in the reward and no validation, and the temperature is 1: what they would do is no difference."""
    parts = ("critic", "kl_reward", "sampling.eval", "divide_logits_by_temperature")
    for to in ("trinity", "roll", "chatlearn", "trl", "openrlhf"):
        notes = ledger(to, more="data.val_files=null trainer.total_training_steps=10").notes
        assert [note for note in notes if any(part in note.partition(": ")[0] for part in parts)] == []
