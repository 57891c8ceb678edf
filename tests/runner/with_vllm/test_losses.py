"""Policy losses that have arguments of their own, really run: the arguments reach every rank."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from tests.runner.with_vllm.test_demo import trained

pytestmark = pytest.mark.filterwarnings("default")
MODE = "actor_rollout_ref__actor__policy_loss__loss_mode"
MEANS = {"actor_rollout_ref__actor__loss_agg_mode": "seq-mean-token-mean"}
BETA = {"actor_rollout_ref__actor__policy_loss__dro_beta": "0.5"}


@pytest.mark.parametrize(("kind", "words"), [("sapo", MEANS), ("dppo_tv", {}), ("dppo_kl", {}), ("dro", BETA)])
def test_a_period_of_each(demo: Path, kind: str, words: dict[str, str]) -> None:
    (period,) = trained(demo, kind, **{MODE: kind, "trainer__total_training_steps": "1"}, **words)
    assert period["gradient_norm"] > 0
