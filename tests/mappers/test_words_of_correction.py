"""veRL's words for what corrects the engines' log-probabilities: 0.7.1 refuses those of the releases before.

trainer/ppo/rollout_corr_helper.py: valid_rs_levels and valid_is_levels up to 0.7.0, SUPPORTED_ROLLOUT_RS_OPTIONS from
0.7.1 on (several, with commas between); trainer/ppo/core_algos.py of 0.7.1: loss_type. Each raises a ValueError at the
first step, when everything is loaded.
"""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.lint import engine
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

CORRECTION = "algorithm.rollout_correction."
RUN = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_files=/d/t.parquet data.val_files=/d/v.parquet"
    " data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
    " actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.calculate_log_probs=True actor_rollout_ref.model.path=/m/q"
    " trainer.n_gpus_per_node=8 trainer.nnodes=1 trainer.total_training_steps=10"
)


def document(**correction: str) -> Document:
    """Words with commas stand in quotes, or Hydra would take them for several runs."""
    quoted = {key: f'"{value}"' if "," in value else value for key, value in correction.items()}
    return read(Source("run.sh", " ".join([RUN, *(f"'{CORRECTION}{key}={value}'" for key, value in quoted.items())])))


@pytest.mark.parametrize(
    ("word", "newest"), [("geometric", False), ("seq_mean_k1", True), ("token_k1,seq_max_k2", True), ("null", True)]
)
def test_a_word_tells_the_release(word: str, newest: bool) -> None:
    release = load(document(rollout_rs=word, rollout_rs_threshold="1.001")).guess.release
    assert (release == "0.9.1") == newest


@pytest.mark.parametrize(
    ("key", "word", "known"),
    [
        ("rollout_rs", "geometric", False),
        ("rollout_rs", "token_k1,seq_max_k2", True),
        ("rollout_rs", "token_k1,sequence", False),
        ("rollout_is", "sequence", True),
        ("rollout_is", "geometric", False),
        ("loss_type", "reinforce", True),
        ("loss_type", "policy_gradient", False),
    ],
)
def test_check_knows_the_words(key: str, word: str, known: bool) -> None:
    codes = [d.code for d in engine.check(document(**{key: word}), engine.Options("verl", "0.9.1"))]
    assert codes.count("KEY015") == (0 if known else 1)
    assert "KEY007" not in codes


def test_a_word_that_the_newer_release_refuses_is_asked() -> None:
    done = convert(document(rollout_rs="geometric", rollout_rs_threshold="1.001"), "verl", to_release="0.9.1")
    assert {line.key: line.value for line in done.ledger.targets}[CORRECTION + "rollout_rs"] == "???"
    assert CORRECTION + "rollout_rs" in {decision.key for decision in done.ledger.decisions}
