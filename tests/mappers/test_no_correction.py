"""veRL's block of corrections says nothing where neither weights nor masks are chosen, whose log-probabilities ever count."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

BLOCK = "algorithm.rollout_correction."
NONE = (f"{BLOCK}rollout_is=null", f"{BLOCK}rollout_rs=null")


def document(*words: str) -> Document:
    command = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256"
    return read(Source("run.sh", " ".join((command, *words)) + "\n"))


def correction(*words: str) -> object:
    return load(document(*words)).stages[0].values["stage.algorithm.rollout_correction"]


@pytest.mark.parametrize("bypass", ["true", "false"])
def test_nothing_is_corrected(bypass: str) -> None:
    """ray_trainer: compute_policy_loss_bypass_mode with loss_type ppo_clip is the clipped ratio, over the engine's log-probabilities."""
    words = (*NONE, f"{BLOCK}bypass_mode={bypass}", f"{BLOCK}loss_type=ppo_clip")
    assert correction(*words) is None
    ledger = convert(document(*words), "trinity").ledger
    assert not [change for change in ledger.learning if change.cause == "correction"]


def test_another_loss_over_the_engines_log_probabilities_acts() -> None:
    words = (*NONE, f"{BLOCK}bypass_mode=true", f"{BLOCK}loss_type=reinforce")
    assert correction(*words) == {"loss_type": "reinforce"}
