"""TRL's table keeps what it says to keep, in the cases that the law of round trips found."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import State
from rftconf.mappers.codecs import renamed
from tests.laws.flip_bases import BASES
from tests.laws.round_trips import Trip, travel


def trip(framework: str, base: str, **flips: Any) -> Trip:
    """There and back with changes; `__` stands for a dot."""
    of = next(candidate for candidate in BASES[framework] if candidate.name == base)
    return travel(framework, "trl", {**of.flat, **{k.replace("__", "."): v for k, v in flips.items()}}, of.trainer)


def test_top_k_is_kept_also_where_it_is_no_switch() -> None:
    """TRL's 0 and null mean all tokens (GRPOTrainer gives vLLM -1 then); every other number is the number itself."""
    assert trip("roll", "grpo").back["stage.sampling.train.top_k"] == 50
    assert trip("verl", "grpo", actor_rollout_ref__rollout__top_k=3).target["top_k"] == 3
    assert trip("verl", "grpo").target.get("top_k") in (None, 0)


@pytest.mark.parametrize(("native", "plan"), [(0, -1), (None, -1), (50, 50), (1, 1)])
def test_a_value_of_the_table_is_renamed_and_others_stay(native: int | None, plan: int) -> None:
    codec: Any = renamed({0: -1, None: -1})
    assert codec.get(native, None, None) == plan
    assert codec.put(plan, None, None).value == (native if native is not None else 0)


def test_one_module_of_adapters_is_itself() -> None:
    """ModelConfig.__post_init__ takes a single module out of its list."""
    done = trip("roll", "grpo", actor_train__model_args__lora_rank=8, actor_train__model_args__lora_target="k_proj")
    assert done.back["stage.model_options.lora.targets"] == "k_proj"


def test_an_update_of_several_periods_makes_fewer_periods_and_says_so() -> None:
    """64 prompts of 4 answers, updates of 512: two periods of the source are one generation, and 100 periods are 50 updates."""
    done = trip("trinity", "form B", algorithm__repeat_times=4)
    assert done.target["max_steps"] == 50
    assert done.outcomes["stage.run_length.rollouts"].state is State.NARROWED
    assert "fewer periods" in done.outcomes["stage.run_length.rollouts"].note


def test_a_lowest_rate_is_one_argument_of_the_schedule() -> None:
    """Megatron's min_lr is 1e-7 of 2e-6: a share of 0.05, which says the same."""
    keys = {"lr_decay_style": "cosine", "min_lr": 1e-7}
    flips = {f"actor_rollout_ref__actor__optim__{name}": value for name, value in keys.items()}
    done = trip("verl", "megatron, validation samples", **flips)
    assert done.target["lr_scheduler_kwargs"] == {"min_lr_rate": 0.05}
    assert done.outcomes["stage.optim.actor.min_lr"].state is State.DERIVED
