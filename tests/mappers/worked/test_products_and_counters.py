"""Products, quotients and counters that only some runs have: forks, old releases, pairs, limits within a period."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.plan.units import Unit
from tests.laws.flip_bases import ARR, TRINITY_GRPO, VERL_GRPO
from tests.laws.flip_bases_roll import DPO, RLVR
from tests.laws.flip_bases_roll import PPO as ROLL_PPO
from tests.mappers.worked.runs import PERIOD, Flat, keys, plan, read, worths, write


def test_the_length_of_a_run_of_trinity() -> None:
    """4 periods of 210 / 70 updates are 12 train steps, and so many batches of data."""
    names = ("trainer.total_steps", "buffer.total_steps")
    assert keys("trinity", {**PERIOD, "run_length.rollouts": 4}, *names) == [12, 12]


TRINITY: Flat = {
    **TRINITY_GRPO,
    "buffer.batch_size": 30,
    "buffer.train_batch_size": 70,
    "algorithm.repeat_times": 7,
    "synchronizer.sync_interval": None,
    "synchronizer.explorer_sync_interval": 1,
    "synchronizer.trainer_sync_interval": 3,
}


def test_a_limit_within_a_period() -> None:
    """10 train steps end in the fourth period of 3, whose 12 updates are not what the schedule decays over."""
    flat = {**TRINITY, "trainer.total_steps": 10, "algorithm.optimizer.lr_scheduler_type": "cosine"}
    assert plan("trinity", flat, "run_length.rollouts", "optim.actor.decay_updates") == [4, 10]


def test_a_limit_that_ends_a_period() -> None:
    """12 train steps are 4 periods, and all that the schedule decays over."""
    flat = {**TRINITY, "trainer.total_steps": 12, "algorithm.optimizer.lr_scheduler_type": "cosine"}
    assert plan("trinity", flat, "run_length.rollouts", "optim.actor.decay_updates") == [4, None]


def test_a_share_of_all_train_steps_warms_up() -> None:
    """0.2 of 10 train steps are 2, and a batch that is seen twice is 2 updates: 4."""
    passes = {"trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs": 2}
    flat = {**TRINITY, **passes, "trainer.total_steps": 10, "algorithm.optimizer.lr_warmup_steps_ratio": 0.2}
    assert plan("trinity", flat, "optim.actor.warmup_updates") == [4]


def test_a_run_of_rows() -> None:
    """2 epochs of 350 rows are 23 whole periods of 30 prompts."""
    flat = {**TRINITY, "buffer.total_epochs": 2, "trainer.total_steps": None, "buffer.total_steps": None}
    assert plan("trinity", flat, "run_length.rollouts", rows=350) == [23]


ROLL: Flat = {
    **RLVR,
    **ROLL_PPO,
    "rollout_batch_size": 30,
    "num_return_sequences_in_group": 7,
    "ppo_epochs": 2,
    "max_steps": 11,
    "actor_train.training_args.per_device_train_batch_size": 5,
    "actor_train.training_args.gradient_accumulation_steps": 3,
    "actor_train.device_mapping": "list(range(0,2))",
}


def test_a_share_of_all_updates_warms_up() -> None:
    """11 periods of 30 x 7 answers, seen twice, in updates of 5 x 3 x 2: 4620 / 30 = 154, and a tenth of them is 16."""
    flat = {**ROLL, "actor_train.training_args.warmup_ratio": 0.1, "actor_train.training_args.warmup_steps": 0}
    assert plan("roll", flat, "batch.sequences_per_update", "optim.actor.warmup_updates") == [30, 16]


@pytest.mark.parametrize(("ulysses", "update"), [(1, 48), (3, 16)])
def test_an_update_of_a_critic_of_roll(ulysses: int, update: int) -> None:
    """6 GPUs / sp 3 are 2 ranks, of 4 x 2 sequences each."""
    flat = {
        **ROLL,
        "critic.device_mapping": "list(range(0,6))",
        "critic.model_args.ulysses_size": ulysses,
        "critic.training_args.per_device_train_batch_size": 4,
        "critic.training_args.gradient_accumulation_steps": 2,
    }
    assert plan("roll", flat, "batch.critic_sequences_per_update") == [update]


def test_an_update_of_a_critic_for_roll() -> None:
    """70 sequences on 5 GPUs are 14 a rank: 7 at a time, twice."""
    values = {
        **PERIOD,
        "algorithm.advantage": "gae",
        "algorithm.critic.enabled": True,
        "placement.actor.gpus": 5,
        "placement.critic.gpus": 5,
        "placement.critic.backend": "fsdp2",
        "batch.critic_sequences_per_update": 70,
        "batch.critic.sequences_per_rank": 7,
    }
    section = "critic.training_args."
    names = (f"{section}per_device_train_batch_size", f"{section}gradient_accumulation_steps")
    assert keys("roll", values, *names) == [7, 2]


def test_pairs_of_roll_warm_up() -> None:
    """roll 0.3.0 dpo_config: set_max_steps; the strategies divide 60 updates by 4 ranks once more: a fifth of 15 are 3."""
    flat = {
        **DPO,
        "max_steps": 60,
        "actor_train.device_mapping": "list(range(0,4))",
        "actor_train.training_args.warmup_ratio": 0.2,
        "actor_train.training_args.warmup_steps": 0,
    }
    assert plan("roll", flat, "optim.actor.warmup_updates") == [3]


def test_a_fork_of_roll_caps_its_update() -> None:
    """Where a fork makes one update of all that a period yields, that is 30 x 7."""
    sizes = plan("roll", ROLL, "batch.sequences_per_update", assume={"mini_batch": "capped"})
    assert sizes == [210]


def test_an_update_that_the_ranks_of_old_verl_round_off() -> None:
    """verl 0.6.1 fsdp_workers.py: ppo_mini_batch_size *= n; //= ranks. 9 x 4 on 8 ranks are 4 each, 32 in all; a period
    of 16 x 4 has 2 of them. 30 x 4 = 120 are no whole number of 32: there the update stays as written."""
    sizes = {"trainer.nnodes": 1, "trainer.n_gpus_per_node": 8, f"{ARR}.actor.ulysses_sequence_parallel_size": 1}
    flat = {**VERL_GRPO, **sizes, f"{ARR}.rollout.n": 4, f"{ARR}.actor.ppo_mini_batch_size": 9}
    updates = [
        plan("verl", {**flat, "data.train_batch_size": prompts}, "batch.sequences_per_update", release="0.6.1")
        for prompts in (16, 30)
    ]
    assert updates == [[32], [36]]


def test_prompts_that_one_fetch_returns() -> None:
    flat = {**VERL_GRPO, f"{ARR}.rollout.n": 7, "data.gen_batch_size": 20}
    assert plan("verl", flat, "batch.prompts_per_fetch") == [20]


@pytest.mark.parametrize(("framework", "answers"), [("verl_eval", 1), ("verl_generation", 5)])
def test_units_of_offline_programs(framework: str, answers: int) -> None:
    """Nothing trains: a sequence is a sequence, and a prompt has its answers (verl 0.9.1 generation.yaml: n_samples 5)."""
    assert worths(read(framework, {"data.path": "/data/answers.parquet"})) == {Unit.SEQUENCES: 1, Unit.PROMPTS: answers}


@pytest.mark.parametrize(
    ("update", "choices"), [(12, ("12 GPUs", "8 samples an update", "16 samples an update")), (16, None)]
)
def test_samples_that_ranks_of_the_old_program_cannot_share(update: int, choices: tuple[str, ...] | None) -> None:
    """verl 0.5.0 fsdp_sft_trainer.py: _normalize_config_bsz. 16 GPUs / sp 2 are 8 ranks; 6 of them, on 12 GPUs, share 12."""
    values = {
        "cluster.nodes": 2,
        "cluster.gpus_per_node": 8,
        "placement.actor.gpus": 16,
        "placement.actor.sp": 2,
        "batch.sequences_per_update": update,
    }
    if choices is None:
        assert keys("verl_fsdp_sft", values, "data.train_batch_size", kind="sft") == [16]
        return
    with pytest.raises(RefusedError, match="12 samples an update cannot be shared by 8 data-parallel ranks") as refusal:
        write("verl_fsdp_sft", values, kind="sft")
    assert refusal.value.choices == choices
