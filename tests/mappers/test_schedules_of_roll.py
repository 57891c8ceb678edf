"""Names of a schedule that ROLL's strategies take in different ways."""

from __future__ import annotations

from tests.mappers.roll_runs import ARGS, CONFIG, STRATEGY, TRAIN, from_roll

KEY = TRAIN + ARGS + "lr_scheduler_type"
MEGATRON = {TRAIN + STRATEGY: "megatron_train", "reference." + STRATEGY: "megatron_infer"}
STYLE = "actor_rollout_ref.actor.optim.lr_decay_style"


def test_megatron_takes_the_cosine_with_a_floor_for_its_cosine() -> None:
    """mcore_adapter/trainer/utils.py, get_megatron_lr_scheduler: the map of names, and min_lr of 0 without lr_scheduler_kwargs."""
    for name in ("cosine", "cosine_with_min_lr", "cosine_warmup_with_min_lr"):
        run = from_roll({**MEGATRON, KEY: name})
        assert run.out[STYLE] == "cosine", name
        assert run.plan("stage.optim.actor.min_lr_ratio") == 0


def test_a_floor_that_is_named_is_not_taken_for_none() -> None:
    run = from_roll({**MEGATRON, KEY: "cosine_with_min_lr", TRAIN + CONFIG + "lr_scheduler_kwargs.min_lr": 1e-7})
    assert run.plan("stage.optim.actor.schedule") == "cosine_with_min_lr"
    assert "schedule" in " ".join(change.says for change in run.conversion.ledger.learning)


def test_the_other_strategies_hand_transformers_no_floor() -> None:
    run = from_roll({KEY: "cosine_with_min_lr"})
    assert run.plan("stage.optim.actor.schedule") == "cosine_with_min_lr"
    assert run.out["actor_rollout_ref.actor.optim.lr_scheduler_type"] == "???"
