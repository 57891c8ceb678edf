"""ROLL's critic: the parts of its loss that no key decides."""

from __future__ import annotations

from rftconf.base.ledger import State
from tests.mappers.roll_runs import from_roll, to_roll
from tests.mappers.test_hazards_roll import PPO


def test_rolls_critic_means_over_sequences_of_means_over_tokens() -> None:
    """base_worker.CriticWorker.loss_func: `0.5 * masked_mean(loss, response_mask, dim=-1).mean()`; veRL's follows the actor."""
    assert from_roll({**PPO, "loss_agg_mode": "token-mean"}).out["critic.loss_agg_mode"] == "seq-mean-token-mean"
    assert "critic.loss_agg_mode" not in from_roll({**PPO, "loss_agg_mode": "seq-mean-token-mean"}).out
    critic = {"algorithm.adv_estimator": "gae", "critic.model.path": "/models/c"}
    assert "algorithm.critic.loss_agg" in to_roll(critic).notes
    same = to_roll({**critic, "critic.loss_agg_mode": "seq-mean-token-mean"})
    assert same.line("critic.loss_agg_mode").state in (State.EXACT, State.DEFAULT)
