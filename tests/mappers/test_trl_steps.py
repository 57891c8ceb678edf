"""TRL's steps that do not fall on the end of a generation batch."""

from __future__ import annotations

from typing import Any

from tests.mappers.test_trl import OPTIM, plan


def test_the_rate_of_a_run_that_ends_within_a_generation_falls_over_its_updates() -> None:
    """Two updates a generation: 25 steps end within the thirteenth, and the schedule is planned for 25 (create_scheduler)."""
    batch: dict[str, Any] = {
        "per_device_train_batch_size": 8,
        "gradient_accumulation_steps": 2,
        "steps_per_generation": 4,
    }
    within, whole = plan(max_steps=25, **batch), plan(max_steps=26, **batch)
    assert (within["stage.run_length.rollouts"], within[OPTIM + "decay_updates"]) == (13, 25)
    assert (whole["stage.run_length.rollouts"], whole[OPTIM + "decay_updates"]) == (13, None)
    assert plan(max_steps=25, lr_scheduler_type="constant", **batch)[OPTIM + "decay_updates"] is None
