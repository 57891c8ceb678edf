"""A loss that only a fork's code has is said to be missing where another release of the framework is written."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

LAUNCH = (
    "python3 -m verl.trainer.main data.rollout_batch_size=512 worker.actor.global_batch_size=128 worker.rollout.n=5"
    " worker.actor.model.model_path=/m data.train_files=/d/train.parquet data.val_files=/d/val.parquet"
    " trainer.n_gpus_per_node=8 trainer.nnodes=1 worker.actor.loss_type={loss}\n"
)
KEY = "worker.actor.loss_type"
"""EasyR1's core_algos.py compute_policy_loss has the losses gspo, cispo and sapo, which its config knows by this key alone."""


@pytest.mark.parametrize(
    ("loss", "release", "is_named"), [("sapo", "0.9.1", True), ("sapo", "0.4.1", False), ("default", "0.9.1", False)]
)
def test_a_loss_of_the_forks_own_never_becomes_another_without_a_word(loss: str, release: str, is_named: bool) -> None:
    done = convert(read(Source("run.sh", LAUNCH.format(loss=loss))), "verl", to_release=release)
    assert any(KEY in change.keys for change in done.ledger.learning) is is_named
