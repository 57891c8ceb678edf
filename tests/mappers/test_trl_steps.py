"""TRL's steps that do not fall on the end of a generation batch, and the prompt limit that its older releases have."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.symbols import OpenKey
from tests.mappers.trl_runs import OPTIM, loaded, plan


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


PROMPT = "stage.length.prompt_max_tokens"


@pytest.mark.parametrize(
    ("release", "keys", "tokens"),
    [
        ("0.24.0", {"max_prompt_length": 256}, 256),
        ("0.24.0", {}, 512),
        ("0.27.2", {"max_prompt_length": 256}, None),
        ("0.25.1", {"max_prompt_length": 256}, 256),
        ("0.28.0", {}, None),
        ("1.16.0", {"max_prompt_length": 256}, None),
    ],
)
def test_a_prompt_limit_that_only_older_releases_have(release: str, keys: dict[str, Any], tokens: int | None) -> None:
    """512 unless written up to 0.25; 0.26 and 0.27 only warn of it; no such key since 0.28 (GRPOConfig and trainer of each)."""
    loading = loaded(release, **keys)
    # a release that cuts no prompt leaves the limit to a person
    assert loading.stages[0].values[PROMPT] == (OpenKey("max_prompt_length") if tokens is None else tokens)
    notes = [note for note in loading.stages[0].reading.notes if "lose their beginning" in note]
    assert len(notes) == (tokens is not None)
