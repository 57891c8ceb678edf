"""How ChatLearn cuts batches and spreads sequences, and what other frameworks must be told of it."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import State
from tests.mappers.hazard_runs import ACTOR, ROLLOUT
from tests.mappers.test_hazards_chatlearn import ENGINE, REF, RUN, TRAINER, from_chatlearn, to_chatlearn

MICRO_OF_TRINITY = "trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"


@pytest.mark.parametrize(
    ("to", "key"), [("verl", ACTOR + "ppo_micro_batch_size_per_gpu"), ("trinity", MICRO_OF_TRINITY)]
)
def test_a_fixed_micro_batch_that_nobody_wrote_is_said_where_the_target_has_none(to: str, key: str) -> None:
    """Both stop without a size; ChatLearn's own default is 1."""
    static: dict[str, Any] = {TRAINER + "packing": False, TRAINER + "max_token_in_packing": None}
    static |= {REF + "packing": False, REF + "max_token_in_packing": None}
    static |= {TRAINER + "train_micro_batch_size": None, RUN + "train_micro_batch_size": 4}
    done = from_chatlearn(static, to=to)
    assert done.out[key] == 1
    assert done.line(RUN + "train_micro_batch_size").state is State.DEAD_IN_SOURCE


@pytest.mark.parametrize(("megatron", "size"), [(False, 8), (True, 2)])
def test_each_back_end_cuts_by_a_key_of_its_own(megatron: bool, size: int) -> None:
    """fsdp_module reads the model's, megatron_module the run's, for passes without gradients too."""
    static: dict[str, Any] = {TRAINER + "packing": False, TRAINER + "max_token_in_packing": None}
    static |= {REF + "packing": False, REF + "max_token_in_packing": None}
    static |= {TRAINER + "generation_batch_size": 4, REF + "generation_batch_size": 4}
    static |= {TRAINER + "train_micro_batch_size": 8, RUN + "train_micro_batch_size": 2}
    done = from_chatlearn(static, megatron=megatron)
    assert done.out[ACTOR + "ppo_micro_batch_size_per_gpu"] == size
    assert done.out[ROLLOUT + "log_prob_micro_batch_size_per_gpu"] == (2 if megatron else 4)
    keys = (TRAINER + "train_micro_batch_size", RUN + "train_micro_batch_size", TRAINER + "generation_batch_size")
    dead = [done.line(key).state is State.DEAD_IN_SOURCE for key in keys]
    assert dead == ([True, False, True] if megatron else [False, True, False])
    assert done.line(keys[megatron]).state is State.EXACT


def test_a_spread_sequence_says_how_many_gpus_share_the_weights_in_roll() -> None:
    """fsdp2_strategy: fsdp_size, 1 where nobody says, must not be below ulysses_size."""
    done = from_chatlearn({TRAINER + "ulysses_sequence_parallel_size": 2}, to="roll")
    assert done.out["actor_train.model_args.ulysses_size"] == 2
    assert done.out["actor_train.strategy_args.strategy_config.fsdp_size"] == 16
    alone = from_chatlearn({TRAINER + "ulysses_sequence_parallel_size": 1}, to="roll")
    assert "actor_train.strategy_args.strategy_config.fsdp_size" not in alone.out


def test_a_key_ends_as_its_main_use_does() -> None:
    """max_response_length is the longest answer, and only in the place of another key what the loss divides by."""
    done = to_chatlearn({f"{ACTOR}loss_agg_mode": "seq-mean-token-sum-norm"})
    line = done.line("data.max_response_length")
    assert line.state is State.EXACT
    assert line.targets == (ENGINE + "max_response_tokens_length",)
    assert "token-mean divides" in line.reason
