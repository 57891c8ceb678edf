"""The length, the schedule and the saving of TRL's runs, in the plan's terms.

Expected values are worked out from transformers/trainer.py and trl/trainer/grpo_trainer.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.symbols import Var, arith
from tests.mappers.trl_runs import OPTIM, plan


def test_the_length_of_a_run() -> None:
    """max_steps counts updates and wins; 1000 rows are 31 batches of 32 prompts an epoch."""
    batch: dict[str, Any] = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 8}
    steps = plan(max_steps=10, steps_per_generation=16, **batch)
    assert steps["stage.run_length.rollouts"] == 5
    assert steps["stage.run_length.epochs"] is None
    epochs = plan(rows=1000, num_train_epochs=2.0, **batch)
    assert (epochs["stage.run_length.epochs"], epochs["stage.run_length.rollouts"]) == (2, 62)
    assert plan(rows=1000, num_train_epochs=0.5, **batch)["stage.run_length.rollouts"] == 16


def test_warm_up_is_updates_or_a_share_of_them() -> None:
    assert plan(warmup_steps=7, max_steps=100)[OPTIM + "warmup_updates"] == 7
    assert plan(warmup_steps=0.1, max_steps=105)[OPTIM + "warmup_updates"] == 11
    assert plan("0.24.0", warmup_ratio=0.1, max_steps=105)[OPTIM + "warmup_updates"] == 11
    assert plan("0.24.0", warmup_ratio=0.1, warmup_steps=3, max_steps=105)[OPTIM + "warmup_updates"] == 3


@pytest.mark.parametrize(
    ("keys", "schedule", "share", "warmup"),
    [
        ({}, "linear", 0.0, 0),
        ({"lr_scheduler_type": "cosine_with_min_lr", "lr_scheduler_kwargs": "{min_lr_rate: 0.1}"}, "cosine", 0.1, 0),
        ({"lr_scheduler_type": "constant", "warmup_steps": 5}, "constant", None, 0),
        ({"lr_scheduler_type": "constant_with_warmup", "warmup_steps": 5}, "constant", None, 5),
    ],
)
def test_schedules(keys: dict[str, Any], schedule: str, share: float | None, warmup: int) -> None:
    values = plan(max_steps=100, **keys)
    assert (values[OPTIM + "schedule"], values[OPTIM + "min_lr_ratio"], values[OPTIM + "warmup_updates"]) == (
        schedule,
        share,
        warmup,
    )


def test_saving_and_evaluating_count_updates() -> None:
    """Two updates a generation: every 10 updates are 5 periods; evaluation is off unless its strategy is steps."""
    batch: dict[str, Any] = {
        "per_device_train_batch_size": 8,
        "gradient_accumulation_steps": 2,
        "steps_per_generation": 4,
    }
    values = plan(save_steps=10, eval_steps=20, eval_strategy="steps", **batch)
    assert (values["stage.cadence.save_rollouts"], values["stage.cadence.eval_rollouts"]) == (5, 10)
    assert plan(eval_steps=20, **batch)["stage.cadence.eval_rollouts"] is None


@pytest.mark.parametrize(("rows", "periods"), [(7473, 7473 // 16), (None, arith("//", Var("ROWS"), 16))])
def test_an_epoch_is_as_many_periods_as_its_rows_fill(rows: int | None, periods: object) -> None:
    """16 prompts a generation; the sampler leaves out what fills none, and DefaultFlowCallback.on_epoch_end saves."""
    batch: dict[str, Any] = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 4}
    values = plan(rows=rows, save_strategy="epoch", eval_strategy="epoch", **batch)
    assert [values[f"stage.cadence.{name}_rollouts"] for name in ("save", "eval")] == [periods, periods]
