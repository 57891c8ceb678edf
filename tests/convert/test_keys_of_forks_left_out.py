"""A class of the asked release refuses what a fork put below it: such keys are left out, and what they did is named."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.report.ledger import ledger_text
from rftconf.report.screen import Screen
from rftconf.schemas import catalogue
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.text.read.read import read
from rftconf.text.source import Source

ACTOR = "actor_rollout_ref.actor."


@pytest.mark.parametrize(
    ("key", "verdict"),
    [
        (f"+{ACTOR}own", Verdict.UNKNOWN),
        (f"+{ACTOR}own.part.alpha", Verdict.UNKNOWN),
        ("+actor_rollout_ref.rollout.own.alpha", Verdict.UNKNOWN),
        ("+actor_rollout_ref.rollout.engine_kwargs.vllm.own", Verdict.TAKEN),
        ("+actor_rollout_ref.rollout.engine_kwargs.own.alpha", Verdict.FREE),
        ("+actor_rollout_ref.model.override_config.own.alpha", Verdict.TAKEN),
        ("+reward.reward_kwargs.own", Verdict.FREE),
        ("+algorithm.own.alpha", Verdict.FREE),
        ("+own.alpha", Verdict.FREE),
    ],
)
def test_a_class_refuses_what_stands_below_it_at_any_depth(key: str, verdict: Verdict) -> None:
    """engine_workers: omega_conf_to_dataclass(actor) calls FSDPActorConfig, which has no such argument; RewardConfig is never built."""
    assert judge(catalogue.load("verl", "0.9.1", "fsdp"), key, 1) is verdict


def test_what_the_release_refuses_is_left_out_and_named() -> None:
    command = (
        "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 "
        f"{ACTOR}ppo_micro_batch_size_per_gpu=8 {ACTOR}distil.alpha=0.5 {ACTOR}policy_loss.own_mode=x +own.alpha=0.5"
    )
    document = read(Source("run.sh", command + "\n"))
    ledger = convert(document, "verl", framework="verl", release="0.7.1", to_release="0.9.1").ledger
    written = {line.key.lstrip("+") for line in ledger.targets}
    assert written.isdisjoint({f"{ACTOR}distil.alpha", f"{ACTOR}policy_loss.own_mode"})
    assert "own.alpha" in written
    report = " ".join(ledger_text(ledger, Screen(200)).split())
    left = report.partition("left out: ")[2].partition("kept as written")[0]
    assert f"{ACTOR}distil.alpha" in left
    assert f"{ACTOR}policy_loss.own_mode" in left
