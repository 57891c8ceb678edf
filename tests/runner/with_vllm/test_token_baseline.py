"""A run whose advantages are less a baseline of each token, by the variance of the score up to there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from tests.runner.with_vllm.test_demo import trained

pytestmark = pytest.mark.filterwarnings("default")
NAMED = {"algorithm__adv_estimator": "optimal_token_baseline", "trainer__total_training_steps": "1"}


def test_two_ranks_learn_what_a_single_rank_does(demo: Path) -> None:
    (single,) = trained(demo, "token_baseline", **NAMED)
    (both,) = trained(demo, "token_baseline_two", **NAMED, trainer__n_gpus_per_node="2")
    assert both["loss"] == pytest.approx(single["loss"], abs=1e-5)
    assert both["gradient_norm"] == pytest.approx(single["gradient_norm"], rel=1e-3)
    assert single["gradient_norm"] > 0
