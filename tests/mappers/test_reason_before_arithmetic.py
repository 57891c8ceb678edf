"""What a source computes is the reason before what follows from it: its loss and its estimator before the size of a group."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import convert
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = (
    "python3 -m verl.trainer.main_ppo data.train_files=/d/a.parquet actor_rollout_ref.model.path=/m trainer.nnodes=1 "
    "trainer.n_gpus_per_node=8 data.train_batch_size=128 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 "
    "actor_rollout_ref.rollout.name=vllm "
)
OF_64 = "actor_rollout_ref.actor.ppo_mini_batch_size=64"


def verl(*settings: str) -> Document:
    return read(Source("run.sh", RUN + " ".join(settings) + "\n"))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("algorithm.adv_estimator=grpo",), "1 answer a prompt: a group of one"),
        (("algorithm.adv_estimator=reinforce_plus_plus",), "the source's estimator is reinforce_pp"),
        (("algorithm.adv_estimator=my_own",), "the source's estimator is my_own"),
        (("algorithm.adv_estimator=grpo", "actor_rollout_ref.actor.policy_loss.loss_mode=clip_cov"), "the source's loss is clip_cov"),
        (("algorithm.adv_estimator=gae",), "the source trains a critic"),
    ],
)  # fmt: skip
def test_chatlearn_names_what_it_lacks_first(settings: tuple[str, ...], reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        convert(verl(OF_64, *settings), "chatlearn")


SILENT = ("algorithm.adv_estimator=grpo", "actor_rollout_ref.rollout.n=4")


@pytest.mark.parametrize("to", ["trinity", "roll", "chatlearn"])
def test_a_default_with_which_verl_itself_stops(to: str) -> None:
    """0.3.0 to 0.9.1 with static micro-batches: data.train_batch_size >= actor.ppo_mini_batch_size, whose default is 256."""
    with pytest.raises(RefusedError, match=r"itself stops at data\.train_batch_size=128: an update of 256 prompts"):
        convert(verl(*SILENT), to)
    filled = verl(*SILENT, "actor_rollout_ref.actor.use_dynamic_bsz=true")
    assert convert(filled, to, framework="verl", release="0.5.0").text


def test_a_period_that_is_no_number_of_updates_is_refused_whatever_the_ranks_are() -> None:
    uneven = (
        "algorithm.adv_estimator=grpo",
        "actor_rollout_ref.rollout.n=4",
        "actor_rollout_ref.actor.ppo_mini_batch_size=72",
    )
    text = RUN.replace("n_gpus_per_node=8", "n_gpus_per_node=$GPUS").replace(
        "train_batch_size=128", "train_batch_size=256"
    )
    with pytest.raises(RefusedError, match=r"no whole number of updates of 288; ROLL"):
        convert(read(Source("run.sh", text + " ".join(uneven) + "\n")), "roll")


def test_what_the_ranks_make_of_an_update_is_what_the_plan_has() -> None:
    """veRL up to 0.7: 2 prompts x 5 answers on 8 ranks are one sequence each, 8 an update (fsdp_workers: //=)."""
    small = (
        "algorithm.adv_estimator=grpo",
        "actor_rollout_ref.rollout.n=5",
        "actor_rollout_ref.actor.ppo_mini_batch_size=2",
    )
    text = RUN.replace("train_batch_size=128", "train_batch_size=8").replace("per_gpu=2", "per_gpu=1")
    done = convert(read(Source("run.sh", text + " ".join(small) + "\n")), "roll", framework="verl", release="0.4.1")
    assert done.plan.stages[0].batch.sequences_per_update == 8
    assert any("veRL takes 8, and so does the plan" in note for note in done.ledger.notes)


@pytest.mark.parametrize("to", ["trinity", "roll"])
def test_a_correction_that_is_switched_off_is_no_correction_that_is_lost(to: str) -> None:
    off = [f"algorithm.rollout_correction.{key}=null" for key in ("rollout_is", "rollout_rs")]
    done = convert(verl(OF_64, "algorithm.adv_estimator=grpo", "actor_rollout_ref.rollout.n=4", *off), to)
    assert not [change.says for change in done.ledger.learning if "correction" in change.says]
    on = ("algorithm.rollout_correction.rollout_is=token", "algorithm.rollout_correction.rollout_rs=null")
    active = convert(verl(OF_64, "algorithm.adv_estimator=grpo", "actor_rollout_ref.rollout.n=4", *on), to)
    assert [change.says for change in active.ledger.learning if "correction" in change.says]
