"""Runs whose ratio is of the engine's log-probs, with what veRL corrects there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from tests.runner.with_vllm.test_demo import trained

pytestmark = pytest.mark.filterwarnings("default")
KEY = "algorithm__rollout_correction__"
BYPASS = {KEY + "bypass_mode": "True", "trainer__total_training_steps": "1"}
LIKELIHOOD = {
    **BYPASS, KEY + "loss_type": "reinforce", KEY + "rollout_is": "sequence", KEY + "rollout_is_threshold": "2.0",
    KEY + "rollout_is_batch_normalize": "True", "actor_rollout_ref__actor__use_dynamic_bsz": "False",
    "actor_rollout_ref__actor__ppo_micro_batch_size_per_gpu": "256",
}  # fmt: skip


def test_a_mean_weight_is_the_same_on_two_ranks(demo: Path) -> None:
    """At first every weight is 1, as the engine has the trainer's: the gradient is that of the plain likelihood."""
    (alone,) = trained(demo, "likelihood_one", **LIKELIHOOD)
    (two,) = trained(demo, "likelihood_two", **LIKELIHOOD, trainer__n_gpus_per_node="2")
    assert two["gradient_norm"] == pytest.approx(alone["gradient_norm"], rel=1e-4)
    assert alone["gradient_norm"] > 0


def test_rejections_that_take_nothing_out_change_nothing(demo: Path) -> None:
    (plain,) = trained(demo, "bypass", **BYPASS)
    wide = {KEY + "rollout_rs": "token_k1", KEY + "rollout_rs_threshold": "1.5"}
    (near,) = trained(demo, "bypass_near", **BYPASS, **wide)
    assert near["gradient_norm"] == plain["gradient_norm"]
    far = {KEY + "rollout_rs": "token_k1", KEY + "rollout_rs_threshold": "2.0_3.0"}
    (empty,) = trained(demo, "bypass_far", **BYPASS, **far)
    assert empty["gradient_norm"] == 0
