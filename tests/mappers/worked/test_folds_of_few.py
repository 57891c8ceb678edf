"""Products and counters that few runs have: shares of a rank, passes over the data, devices that are multiplied, old words."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import Var, formula
from rftconf.mappers.chatlearn.folds_run import LOST_WEIGHTS
from tests.laws.flip_bases import ARR, VERL_GRPO
from tests.mappers.worked.runs import PERIOD, Flat, keys, plan, write
from tests.mappers.worked.test_products_and_counters import ROLL, TRINITY

SPLIT: Flat = {
    "batch.prompts_per_rollout": 24,
    "batch.responses_per_prompt": 4,
    "batch.sequences_per_update": 96,
    "batch.passes": 1,
    "batch.micro.dynamic": False,
    "batch.micro.sequences_per_rank": 4,
    "placement.actor.gpus": 8,
    "placement.reference.gpus": 8,
    "placement.actor.backend": "fsdp",
    "cluster.nodes": 1,
    "cluster.gpus_per_node": 8,
}
"""96 sequences a period, 12 on each of 8 ranks."""


@pytest.mark.parametrize(("size", "fits"), [(6, 6), (5, 4), (12, 12), (24, 12)])
def test_a_pass_without_gradient_divides_the_sequences_of_a_rank(size: int, fits: int) -> None:
    """ChatLearn grpo._validate_impl: sample_per_episode // ranks is a multiple of generation_batch_size."""
    flat = {**SPLIT, "batch.reference.dynamic": False, "batch.reference.sequences_per_rank": size}
    assert keys("chatlearn", flat, "models.ref_policy.generation_batch_size") == [fits]


@pytest.mark.parametrize(("update", "loses"), [(210, False), (70, True)])
def test_one_update_an_episode_finds_its_weights_again(update: int, loses: bool) -> None:
    """30 prompts x 7 answers are one update of 210 sequences, saved under the number that is looked up (H56)."""
    flat = {**PERIOD, "batch.sequences_per_update": update, "identity.resume": "auto", "identity.checkpoint_root": "/c"}
    assert (LOST_WEIGHTS in write("chatlearn", flat).notes) == loses


@pytest.mark.parametrize(("devices", "count"), [("list(range(0, 2 * 4))", 8), ("list(range(3 * 2, 3 * 4))", 6)])
def test_devices_are_multiplied(devices: str, count: int) -> None:
    assert plan("roll", {**ROLL, "actor_train.device_mapping": devices}, "placement.actor.gpus") == [count]


LOSS = "algorithm.policy_loss."
CLIPPED: Flat = {LOSS + "family": "ppo", LOSS + "clip_low": 0.2, LOSS + "clip_high": 0.28}


def test_a_dual_clip_is_one_and_twice_the_clip() -> None:
    """ROLL base_worker.loss_func: the bound is (1 + 2 x pg_clip), and 1 + 2 x 4.5 is 10."""
    names = ("pg_clip", "dual_clip_loss", "use_pg_clip_range")
    assert keys("roll", {**CLIPPED, LOSS + "dual_clip_c": 10.0}, *names) == [4.5, True, True]
    (open_clip,) = keys("roll", {**CLIPPED, LOSS + "dual_clip_c": Var("C")}, "pg_clip")
    assert formula(open_clip) == "(C - 1) / 2"


def test_pairs_of_the_reference_are_no_more_than_those_of_an_update() -> None:
    """dpo_pipeline: 48 pairs an update are 6 on each of 8 ranks, however many a pass could take."""
    flat = {
        "batch.sequences_per_update": 48,
        "batch.reference.sequences_per_rank": 10,
        "placement.actor.gpus": 8,
        "placement.actor.backend": "fsdp2",
    }
    assert keys("roll", flat, "reference.infer_batch_size", kind="dpo", trainer="dpo") == [6]


TWICE = {"trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs": 2}


def test_train_steps_of_two_passes_decay_over_twice_as_many_updates() -> None:
    """10 train steps are the schedule's, and each is an update and another one."""
    flat = {**TRINITY, **TWICE, "trainer.total_steps": 10, "algorithm.optimizer.lr_scheduler_type": "cosine"}
    assert plan("trinity", flat, "optim.actor.decay_updates") == [20]


def test_a_warm_up_of_half_a_train_step_is_rounded_up() -> None:
    """5 updates of batches that are seen twice are 2.5 train steps: Trinity's scheduler ticks 3 times."""
    flat = {**PERIOD, "batch.passes": 2, "optim.actor.warmup_updates": 5}
    assert keys("trinity", flat, "algorithm.optimizer.lr_warmup_steps") == [3]


VERL: Flat = {**VERL_GRPO, "data.train_batch_size": 30, f"{ARR}.rollout.n": 7, f"{ARR}.actor.ppo_mini_batch_size": 30}


@pytest.mark.parametrize(("mini", "source"), [(30, "current"), (10, "recompute_at_rollout")])
def test_one_update_a_period_takes_the_current_policy(mini: int, source: str) -> None:
    """veRL 0.7 dp_actor: on_policy where a period is one mini-batch, 30 prompts x 7 answers in both."""
    flat = {**VERL, f"{ARR}.actor.ppo_mini_batch_size": mini}
    assert plan("verl", flat, "sync.old_logprob", release="0.7.1") == [source]


def test_samples_of_a_fork_are_sequences_of_all_ranks() -> None:
    flat = {**VERL, f"{ARR}.actor.ppo_mini_batch_size": 70}
    assert plan("verl", flat, "batch.sequences_per_update", assume={"mini_batch": "samples"}) == [70]


def test_penalties_come_before_rewards_are_normalised() -> None:
    """veRL ray_trainer.fit: apply_kl_penalty stands before compute_advantage."""
    flat = {**VERL, "algorithm.use_kl_in_reward": True}
    assert plan("verl", flat, "algorithm.kl_reward.order") == ["before_norm"]
