"""Products and quotients of ROLL and ChatLearn, worked out, and ranks that are not whole."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.mappers.rates import refuse_torn_ranks
from rftconf.plan.units import Unit
from tests.laws.flip_bases import ARR, CHATLEARN_GRPO, VERL_GRPO
from tests.laws.flip_bases_roll import RLVR
from tests.mappers.worked.runs import PERIOD, keys, plan, read, write


def test_gpus_of_one_sglang_engine_of_roll() -> None:
    """roll 0.3.0 worker_config.py: num_gpus_per_worker, tp x pp."""
    values = {"placement.rollout.engine": "sglang", "placement.rollout.tp": 2, "placement.rollout.pp": 3}
    assert keys("roll", values, "actor_infer.num_gpus_per_worker") == [6]


def test_gpus_that_can_share_an_update_of_roll() -> None:
    """12 GPUs / sp 2 are 6 ranks, which 8 sequences do not feed; 4, 2 and 1 ranks they do, on 8, 4 and 2 GPUs."""
    values = {
        **PERIOD,
        "batch.prompts_per_rollout": 8,
        "batch.sequences_per_update": 8,
        "placement.actor.gpus": 12,
        "placement.actor.sp": 2,
        "placement.actor.backend": "fsdp2",
    }
    with pytest.raises(
        RefusedError, match="8 sequences an update cannot be shared by 6 data-parallel ranks"
    ) as refusal:
        write("roll", values)
    assert refusal.value.choices == ("8 trainer GPUs", "4 trainer GPUs", "2 trainer GPUs")


def test_ranks_that_are_not_whole() -> None:
    """10 GPUs are 2.5 ranks of 4; 8 and 12 are 2 and 3."""
    done = write("roll", {"placement.actor.gpus": 10, "placement.actor.sp": 4}, kind="eval")
    with pytest.raises(RefusedError, match="10 GPUs train the actor, and a data-parallel rank takes 4 ") as refusal:
        refuse_torn_ranks(done, 10, done.table.worth(done, Unit.SEQUENCES_PER_RANK))
    assert refusal.value.choices == ("8 GPUs", "12 GPUs", "smaller parallel sizes")


def test_an_update_of_roll() -> None:
    """roll 0.3.0 base_config.py: 4 GPUs x 5 x 3 = 60 sequences an update, times 2 passes a period of 30 x 8 is 8 updates."""
    flat = {
        **RLVR,
        "rollout_batch_size": 30,
        "num_return_sequences_in_group": 8,
        "ppo_epochs": 2,
        "actor_train.training_args.per_device_train_batch_size": 5,
        "actor_train.training_args.gradient_accumulation_steps": 3,
        "actor_train.device_mapping": "list(range(0,4))",
        "actor_train.training_args.warmup_steps": 16,
    }
    fields = ("batch.sequences_per_update", "batch.passes", "optim.actor.warmup_updates")
    assert plan("roll", flat, *fields) == [60, 2, 16]
    assert read("roll", flat).convert(1, Unit.ROLLOUTS, Unit.UPDATES) == 8


CHATLEARN = {
    "batch.prompts_per_rollout": 6,
    "batch.responses_per_prompt": 4,
    "batch.sequences_per_update": 8,
    "batch.passes": 1,
    "cluster.nodes": 3,
    "cluster.gpus_per_node": 4,
    "placement.layout": "colocated",
    "placement.actor.backend": "fsdp2",
}
GPUS = ("models.policy_trainer.num_gpu", "models.policy.num_gpu", "runtime_args.sample_per_episode")


def test_the_gpus_of_chatlearn() -> None:
    """One number for each model; where the source names no trainer's, it has the whole cluster of 3 x 4."""
    assert keys("chatlearn", {**CHATLEARN, "placement.actor.gpus": 4}, *GPUS) == [4, 4, 24]
    whole = {**CHATLEARN, "batch.sequences_per_update": 12}
    assert keys("chatlearn", whole, *GPUS, "models.ref_policy.num_gpu") == [12, 12, 24, 12]


def test_an_episode_of_chatlearn() -> None:
    flat = {**CHATLEARN_GRPO, "runtime_args.sample_per_episode": 2040, "runtime_args.train_global_batch_size": 510}
    fields = ("batch.prompts_per_rollout", "batch.responses_per_prompt", "batch.sequences_per_update")
    assert plan("chatlearn", flat, *fields) == [255, 8, 510]


@pytest.mark.parametrize(("answers", "policy"), [(4, "current"), (2, "recompute_at_rollout")])
def test_old_log_probabilities_that_roll_does_not_compute(answers: int, policy: str) -> None:
    """2 GPUs x 4 x 2 = 16 sequences an update; 8 prompts x 4 answers are two of them, 8 x 2 are one."""
    flat = {
        **RLVR,
        "rollout_batch_size": 8,
        "num_return_sequences_in_group": answers,
        "actor_train.training_args.per_device_train_batch_size": 4,
        "actor_train.training_args.gradient_accumulation_steps": 2,
        "actor_train.device_mapping": "list(range(0,2))",
        "force_disable_old_logprobs_recompute": True,
    }
    assert plan("roll", flat, "sync.old_logprob") == [policy]


@pytest.mark.parametrize(("prompts", "stops"), [(30, False), (40, True)])
def test_a_period_of_separate_async_is_whole_local_updates(prompts: int, stops: bool) -> None:
    """verl 0.9.1 trainer_base.py asserts it: 3 local updates of 10 prompts are 30."""
    flat = {
        **VERL_GRPO,
        "trainer.v1.trainer_mode": "separate_async",
        f"{ARR}.hybrid_engine": False,
        f"{ARR}.rollout.nnodes": 1,
        f"{ARR}.rollout.n_gpus_per_node": 8,
        "trainer.v1.separate_async.parameter_sync_step": 3,
        "data.train_batch_size": prompts,
        f"{ARR}.actor.ppo_mini_batch_size": 10,
    }
    assert any("veRL stops" in note for note in read("verl", flat).notes) is stops
