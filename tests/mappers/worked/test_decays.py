"""How long Megatron's learning rate decays in veRL: megatron_utils.optimizer.get_megatron_optimizer_param_scheduler.

`lr_decay_steps` stands in place of total_training_steps where it is set, for the decay and for the share that warms up;
its ticks are calls of update_actor, one a period.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.flip_bases import ARR, VERL_GRPO
from tests.mappers.worked.runs import PERIOD, Flat, keys, plan, read

OPTIM = f"{ARR}.actor.optim."
RUN: Flat = {
    **VERL_GRPO,
    f"{ARR}.actor.strategy": "megatron",
    "data.train_batch_size": 30,
    f"{ARR}.rollout.n": 7,
    f"{ARR}.actor.ppo_mini_batch_size": 10,
    "trainer.total_training_steps": 40,
}
"""40 periods of 3 updates each."""
ACTOR, WARMUP = "optim.actor.decay_updates", "optim.actor.warmup_updates"


def megatron(*paths: str, **optim: Any) -> list[Any]:
    return plan("verl", {**RUN, **{OPTIM + key: value for key, value in optim.items()}}, *paths, trainer="megatron")


@pytest.mark.parametrize(
    ("steps", "decays"),
    [(20, 60), (100, 300), (40, None), (None, None)],  # 40 periods are the run anyway
)
def test_a_decay_of_its_own_length(steps: int | None, decays: int | None) -> None:
    assert megatron(ACTOR, lr_decay_style="cosine", lr_decay_steps=steps) == [decays]


def test_a_share_warms_up_of_that_length() -> None:
    """0.1 of 100 ticks are 10 periods, 30 updates; 0.1 of the run would be 4 periods."""
    optim = {"lr_decay_style": "cosine", "lr_warmup_steps": None, "lr_warmup_steps_ratio": 0.1}
    assert megatron(WARMUP, **optim, lr_decay_steps=100) == [30]
    assert megatron(WARMUP, **optim) == [12]
    assert megatron(WARMUP, **{**optim, "lr_decay_style": "constant"}, lr_decay_steps=100) == [30]


def test_a_constant_rate_has_no_length() -> None:
    run = {**RUN, OPTIM + "lr_decay_style": "constant", OPTIM + "lr_decay_steps": 100}
    assert OPTIM + "lr_decay_steps" in read("verl", run, trainer="megatron").inactive
    shared = {**run, OPTIM + "lr_warmup_steps": None, OPTIM + "lr_warmup_steps_ratio": 0.1}
    assert OPTIM + "lr_decay_steps" not in read("verl", shared, trainer="megatron").inactive


@pytest.mark.parametrize(("trainer", "ticks"), [("megatron", 4), ("fsdp", None)])
def test_a_decay_of_another_length_is_written_for_megatron(trainer: str, ticks: int | None) -> None:
    """12 updates, 3 a period."""
    values = {**PERIOD, "placement.layout": "colocated", "optim.actor.schedule": "cosine", ACTOR: 12}
    assert keys("verl", values, OPTIM + "lr_decay_steps", trainer=trainer) == [ticks]
