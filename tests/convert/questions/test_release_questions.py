"""A coefficient that a fork acts upon, or not, by the release that it stands on is a question that leads all others."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import Decision
from rftconf.convert.convert import Options, convert_loaded
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

COEF = "algorithm.kl_ctrl.kl_coef"
SCRIPT = (
    "python3 -m {program} algorithm.adv_estimator=grpo data.train_batch_size=128 actor_rollout_ref.model.path=/m "
    "actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 "
    "actor_rollout_ref.actor.ppo_micro_batch_size=8 algorithm.kl_ctrl.kl_coef={coef} {more}\n"
)
FORK = "my_agent.main_ppo"


def decisions(program: str = FORK, coef: str = "0.001", more: str = "", release: str | None = None) -> list[Decision]:
    text = SCRIPT.format(program=program, coef=coef, more=more)
    loaded = load(read(Source("run.sh", text)), framework="verl", release=release)
    return list(convert_loaded(loaded, "trinity", Options()).ledger.decisions)


def test_a_fork_that_may_stand_on_an_older_release_is_asked_about() -> None:
    """veRL 0.3 takes KL from the reward unless use_kl_loss (ray_trainer.py: fit); 0.4 has use_kl_in_reward for it."""
    first = decisions()[0]
    assert (first.key, first.has) == (COEF, f"{COEF}=0.001")
    assert "veRL 0.3.0 takes this config as well, has no algorithm.use_kl_in_reward" in first.why
    assert any("--from-release 0.3.0" in choice for choice in first.choices)


@pytest.mark.parametrize(
    "known",
    [
        {"program": "verl.trainer.main_ppo"},
        {"coef": "0.0"},
        {"more": "algorithm.use_kl_in_reward=False"},
        {"more": "actor_rollout_ref.actor.policy_loss.loss_mode=vanilla"},
        {"release": "0.7.1"},
        {"release": "0.3.0"},
    ],
)
def test_what_is_known_is_not_asked(known: dict[str, str]) -> None:
    """The framework's own code, no coefficient, the switch as written, keys of later releases only, or a named release tell."""
    assert COEF not in [decision.key for decision in decisions(**known)]
