"""A reward function is called as its own framework calls it: one of another framework's is asked about."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

FILE = "/code/reward.py"
KEY = "reward.custom_reward_function.path"
OPENRLHF = f"python3 -m openrlhf.cli.train_ppo_ray --pretrain org/small --advantage_estimator group_norm --n_samples_per_prompt 8 --remote_rm_url {FILE}"
VERL = (
    "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=org/small actor_rollout_ref.rollout.name=vllm"
    f" algorithm.adv_estimator=grpo data.train_files=a.parquet data.val_files=b.parquet {KEY}={FILE}"
)


def converted(text: str) -> Conversion:
    return convert_loaded(load(read(Source("run.sh", f"{text}\n"))), "verl", Options())


@pytest.mark.parametrize(("text", "value"), [(OPENRLHF, "???"), (VERL, FILE)], ids=["OpenRLHF's", "veRL's"])
def test_a_function_of_another_framework_stays_open(text: str, value: str) -> None:
    done = converted(text)
    assert {line.key: line.value for line in done.ledger.targets}[KEY] == value
    questions = [decision.why for decision in done.ledger.decisions if decision.key == KEY]
    assert [question.startswith("veRL calls a function otherwise: compute_score(") for question in questions] == (
        [True] if value == "???" else []
    )
