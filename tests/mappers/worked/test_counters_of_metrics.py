"""Each framework logs steps of a unit of its own and numbers the first one as its training loop counts."""

from __future__ import annotations

import pytest

from rftconf.metrics.table import COUNTERS
from rftconf.plan.units import Unit

STEPS = {
    # verl 0.9.1 trainer/ppo/ray_trainer.py: fit, global_steps += 1 before the first batch of the loader
    ("verl", ""): (Unit.ROLLOUTS, 1),
    # trinity 0.6.0 trainer/trainer.py: train_step, one sample of train_batch_size; explorer/explorer.py: explore_step_num
    ("trinity", "trainer"): (Unit.TRAIN_STEPS, 1),
    ("trinity", "explorer"): (Unit.EXPLORE_STEPS, 1),
    # roll 0.3.0 pipeline/rlvr/rlvr_pipeline.py: run, for global_step in range(max_steps)
    ("roll", ""): (Unit.ROLLOUTS, 0),
    # chatlearn 2025.10.23 runtime/engine.py: learn, one episode, logged as episode_id + 1
    ("chatlearn", ""): (Unit.ROLLOUTS, 1),
    # transformers Trainer: state.global_step += 1 after optimizer.step
    ("trl", ""): (Unit.UPDATES, 1),
    # openrlhf 0.11.2 trainer/ppo_trainer.py: fit, global_step += 1 after the prompts of a rollout
    ("openrlhf", ""): (Unit.ROLLOUTS, 1),
}


@pytest.mark.parametrize(("framework", "run"), STEPS)
def test_a_logged_step(framework: str, run: str) -> None:
    (counter,) = (counter for counter in COUNTERS if (counter.framework, counter.run) == (framework, run))
    assert (counter.unit, counter.first) == STEPS[framework, run]
