"""A loss or an estimator that only a fork knows is refused or asked about before all else: it never becomes plain PPO in silence."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.convert.convert import convert
from rftconf.convert.questions.questions import questions_of
from rftconf.text.read.read import read
from rftconf.text.source import Source

VERL = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator={estimator} data.train_batch_size=128 "
    "actor_rollout_ref.model.path=/m actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm "
    "actor_rollout_ref.rollout.n=8 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 {more}"
)
EASYR1 = (
    "python3 -m verl.trainer.main data.rollout_batch_size=128 worker.actor.global_batch_size=64 worker.rollout.n=5 "
    "worker.actor.model.model_path=/m worker.actor.clip_ratio_low=0.2 {more}"
)
ACTOR = "actor_rollout_ref.actor."
OTHERS = ("trinity", "roll", "chatlearn", "trl")


def _decisions(text: str, to: str, **more: Any) -> tuple[list[str], list[str]]:
    ledger = convert(read(Source("run.sh", text + "\n")), to, **more).ledger
    return [decision.key for decision in ledger.decisions], [decision.why for decision in ledger.decisions]


@pytest.mark.parametrize("to", OTHERS)
@pytest.mark.parametrize(
    "key",
    [f"{ACTOR}use_superclip=True", f"{ACTOR}policy_loss.superclip_eps=0.3", f"{ACTOR}superclip.eps=0.1", "+algorithm.superclip=1",
     "+own.loss_type=superclip"],
)  # fmt: skip
def test_what_no_release_has_beside_the_loss_is_asked_first(key: str, to: str) -> None:
    keys, whys = _decisions(VERL.format(estimator="grpo", more=key), to)
    assert keys[0] == key.lstrip("+").partition("=")[0]
    assert "learns with the loss ppo and the advantages of grpo" in whys[0]


@pytest.mark.parametrize(
    "key",
    [f"{ACTOR}use_superclip=False", f"{ACTOR}optim.own=3", f"{ACTOR}fsdp_config.own=true", "+trainer.own_folder=/f", "+own.folder=/f",
     "+own.optim.grad_clip=10.0"],
)  # fmt: skip
def test_what_is_off_or_stands_elsewhere_is_no_question(key: str) -> None:
    keys, _ = _decisions(VERL.format(estimator="grpo", more=key), "roll")
    assert key.lstrip("+").partition("=")[0] not in keys


@pytest.mark.parametrize("to", OTHERS)
@pytest.mark.parametrize(
    "text",
    [
        VERL.format(estimator="own_estimator", more=""),
        VERL.format(estimator="grpo", more=f"{ACTOR}policy_loss.loss_mode=superclip"),
        EASYR1.format(more="worker.actor.loss_type=superclip"),
        EASYR1.format(more="worker.actor.loss_type=sapo worker.actor.tau_positive=1.0"),
        EASYR1.format(more="algorithm.adv_estimator=own_estimator"),
        EASYR1.format(more="worker.actor.use_superclip=true"),
    ],
)
def test_a_loss_or_an_estimator_of_a_fork_is_refused_or_the_first_question(text: str, to: str) -> None:
    answer = _first_word(text, to)
    assert any(word in answer for word in ("superclip", "sapo", "own_estimator"))


def _first_word(text: str, to: str) -> str:
    """The refusal, or the first question."""
    try:
        first = convert(read(Source("run.sh", text + "\n")), to).ledger.decisions[0]
    except RefusedError as refusal:
        return str(refusal)
    return f"{first.why} {first.has}"


def test_a_release_before_losses_had_names_does_not_hide_one() -> None:
    text = VERL.format(estimator="grpo", more=f"{ACTOR}policy_loss.loss_mode=superclip")
    keys, _ = _decisions(text, "roll", release="0.3.0")
    assert keys[0] == f"{ACTOR}policy_loss.loss_mode"


def test_another_release_of_the_framework_is_asked_about_and_the_same_is_not() -> None:
    text = EASYR1.format(more="worker.actor.loss_type=sapo")
    assert _decisions(text, "verl", to_release="0.9.1")[0][:1] == ["worker.actor.loss_type"]
    assert "worker.actor.loss_type" not in _decisions(text, "verl", to_release="0.4.1")[0]


def test_the_question_takes_keep_for_an_answer() -> None:
    text = VERL.format(estimator="grpo", more=f"{ACTOR}use_superclip=True")
    ledger = convert(read(Source("run.sh", text + "\n")), "roll").ledger
    first = questions_of(ledger)[0]
    assert [choice.answer for choice in first.choices] == ["keep"]


OF_ITS_OWN = VERL.replace("verl.trainer.main_ppo algorithm.adv_estimator={estimator}", "own.main_own")


@pytest.mark.parametrize("to", ["verl", "trinity", "roll"])
def test_a_program_of_its_own_without_an_estimator_is_asked_for_it_first(to: str) -> None:
    keys, whys = _decisions(OF_ITS_OWN.format(more=""), to)
    assert keys[0] == "algorithm.adv_estimator"
    assert "own.main_own is a program of its own" in whys[0]


@pytest.mark.parametrize(
    "text",
    [
        OF_ITS_OWN.format(more="algorithm.adv_estimator=grpo"),
        VERL.replace("algorithm.adv_estimator={estimator} ", "").format(more="critic.ppo_micro_batch_size_per_gpu=2"),
    ],
)
def test_an_estimator_that_is_written_or_the_frameworks_own_program_is_no_question(text: str) -> None:
    keys, _ = _decisions(text, "roll")
    assert "algorithm.adv_estimator" not in keys
