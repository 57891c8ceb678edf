"""One of each unit, counted in sequences or tokens of a rank, in runs of 30 prompts x 7 answers and updates of 10 x 7.

A period is 30 x 7 = 210 sequences and 210 / 70 = 3 mini-batches; seen twice they are 6 updates, worth 210 / 6 = 35 each.
"""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.plan.units import Unit
from tests.laws.flip_bases import ARR, CHATLEARN_GRPO, TRINITY_GRPO, VERL_GRPO
from tests.laws.flip_bases_roll import DPO, RLVR, SFT
from tests.laws.flip_bases_sft import SAMPLES
from tests.mappers.worked.runs import Flat, read, worths

ANSWERS = {Unit.SEQUENCES: 1, Unit.TOKENS_PER_RANK: 1}
SIZES: Flat = {
    "data.train_batch_size": 30,
    f"{ARR}.rollout.n": 7,
    f"{ARR}.actor.ppo_mini_batch_size": 10,
    f"{ARR}.actor.ppo_epochs": 2,
    "trainer.nnodes": 5,
    "trainer.n_gpus_per_node": 6,
    f"{ARR}.rollout.tensor_model_parallel_size": 1,
}
PERIOD = {Unit.PROMPTS: 7, Unit.ROLLOUTS: 210, Unit.UPDATES: 35}
MEGATRON = {
    f"{ARR}.actor.strategy": "megatron",
    f"{ARR}.actor.megatron.tensor_model_parallel_size": 2,
    f"{ARR}.actor.megatron.pipeline_model_parallel_size": 1,
    f"{ARR}.actor.megatron.context_parallel_size": 3,
}
OWN_ENGINES = {
    "trainer.v1.trainer_mode": "separate_async",
    f"{ARR}.hybrid_engine": False,
    f"{ARR}.rollout.nnodes": 1,
    f"{ARR}.rollout.n_gpus_per_node": 8,
    f"{ARR}.rollout.checkpoint_engine.backend": "nccl",
    "trainer.v1.separate_async.parameter_sync_step": 3,
}
VERL: dict[str, tuple[Flat, str, dict[Unit, Any]]] = {
    # 5 nodes x 6 GPUs = 30, of which 2 share a sequence (Ulysses): 15 ranks, and a cap of tokens counts 2 GPUs'.
    # verl 0.9.1 workers/engine_workers.py: train_mini_batch ticks the scheduler once a call, which is a period
    "fsdp": (
        {**SIZES, f"{ARR}.actor.ulysses_sequence_parallel_size": 2},
        "fsdp",
        {Unit.LR_TICKS: 210, Unit.SEQUENCES_PER_RANK: 15, Unit.TOKENS_PER_GPU: 2},
    ),
    # 30 GPUs / (tp 2 x pp 1 x cp 3) = 5 ranks; the cap is times cp (workers/engine/megatron/transformer_impl.py)
    "megatron": (
        {**SIZES, **MEGATRON},
        "megatron",
        {Unit.LR_TICKS: 210, Unit.SEQUENCES_PER_RANK: 5, Unit.TOKENS_PER_GPU: 3},
    ),
    # trainer_base.py: parameter_sync_step 3 local updates a period, a tick each: 210 / 3 = 70
    "separate_async": (
        {**SIZES, **OWN_ENGINES},
        "fsdp",
        {Unit.LR_TICKS: 70, Unit.SEQUENCES_PER_RANK: 30, Unit.TOKENS_PER_GPU: 1},
    ),
}


@pytest.mark.parametrize("name", VERL)
def test_units_of_verl(name: str) -> None:
    changes, trainer, own = VERL[name]
    assert worths(read("verl", {**VERL_GRPO, **changes}, trainer=trainer)) == {**ANSWERS, **PERIOD, **own}


TRINITY: Flat = {
    # an explore step is 5 prompts x 7 answers = 35, and 6 of them are a period; a train step takes 70
    "buffer.batch_size": 5,
    "buffer.train_batch_size": 70,
    "algorithm.repeat_times": 7,
    "synchronizer.sync_interval": None,
    "synchronizer.explorer_sync_interval": 6,
    "synchronizer.trainer_sync_interval": 3,
    "trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs": 2,
    # 3 nodes x 8 GPUs, 3 engines of 2: 18 GPUs train
    "cluster.node_num": 3,
    "cluster.gpu_per_node": 8,
    "explorer.rollout_model.engine_num": 3,
    "explorer.rollout_model.tensor_parallel_size": 2,
}
STEPS = {Unit.EXPLORE_STEPS: 35, Unit.TRAIN_STEPS: 70, Unit.LR_TICKS: 70}
"""trinity 0.6.0 trainer/verl_trainer.py: a train step is one batch, and the scheduler ticks once in it."""
TRINITY_RUNS: dict[str, tuple[Flat, dict[Unit, Any]]] = {
    # 18 GPUs / sp 3 = 6 ranks
    "fsdp": ({"trainer.ulysses_sequence_parallel_size": 3}, {Unit.SEQUENCES_PER_RANK: 6, Unit.TOKENS_PER_GPU: 3}),
    # 18 GPUs / (tp 1 x pp 3 x cp 2) = 3 ranks
    "megatron": (
        {
            "trainer.trainer_strategy": "megatron",
            "trainer.megatron.tensor_model_parallel_size": 1,
            "trainer.megatron.pipeline_model_parallel_size": 3,
            "trainer.megatron.context_parallel_size": 2,
        },
        {Unit.SEQUENCES_PER_RANK: 3, Unit.TOKENS_PER_GPU: 2},
    ),
}


@pytest.mark.parametrize("name", TRINITY_RUNS)
def test_units_of_trinity(name: str) -> None:
    changes, own = TRINITY_RUNS[name]
    amounts = worths(read("trinity", {**TRINITY_GRPO, **TRINITY, **changes}))
    assert amounts == {**ANSWERS, **PERIOD, **STEPS, **own}


TRAIN, ARGS = "actor_train.", "actor_train.training_args."
CONFIG = "actor_train.strategy_args.strategy_config."
ROLL: Flat = {
    "rollout_batch_size": 30,
    "num_return_sequences_in_group": 7,
    "ppo_epochs": 2,
    ARGS + "per_device_train_batch_size": 5,
}
ROLL_RUNS: dict[str, tuple[Flat, dict[Unit, Any]]] = {
    # 4 GPUs, 2 to a sequence: 2 ranks x 5 sequences x 7 micro-batches = 70 an update
    "fsdp": (
        {
            ARGS + "gradient_accumulation_steps": 7,
            TRAIN + "device_mapping": "list(range(0,4))",
            TRAIN + "model_args.ulysses_size": 2,
        },
        {Unit.SEQUENCES_PER_RANK: 2, Unit.TOKENS_PER_GPU: 2},
    ),
    # 14 GPUs / tp 2 = 7 ranks x 5 x 2 = 70
    "megatron": (
        {
            ARGS + "gradient_accumulation_steps": 2,
            TRAIN + "device_mapping": "list(range(0,14))",
            TRAIN + "strategy_args.strategy_name": "megatron_train",
            CONFIG + "tensor_model_parallel_size": 2,
        },
        {Unit.SEQUENCES_PER_RANK: 7, Unit.TOKENS_PER_GPU: 1},
    ),
}


@pytest.mark.parametrize("name", ROLL_RUNS)
def test_units_of_roll(name: str) -> None:
    """A tick is an update: roll 0.3.0 distributed/strategy/fsdp2_strategy.py: train_step steps both."""
    changes, own = ROLL_RUNS[name]
    amounts = worths(read("roll", {**RLVR, **ROLL, **changes}))
    assert amounts == {**ANSWERS, **PERIOD, Unit.LR_TICKS: 35, **own}


POLICY, TRAINER = "models.policy.", "models.policy_trainer."
CHATLEARN: Flat = {
    "runtime_args.sample_per_episode": 210,
    "runtime_args.train_global_batch_size": 70,
    "runtime_args.num_training_epoch": 2,
    POLICY + "num_inference_per_prompt": 7,
    "runtime_args.num_inference_per_prompt": 7,
    TRAINER + "num_gpu": 4,
    "models.ref_policy.num_gpu": 4,
    POLICY + "num_gpu": 4,
}
CHATLEARN_RUNS: dict[str, tuple[Flat, str, dict[Unit, Any]]] = {
    # 4 GPUs, 2 to a sequence: 2 ranks
    "fsdp": (
        {TRAINER + "ulysses_sequence_parallel_size": 2},
        "fsdp",
        {Unit.SEQUENCES_PER_RANK: 2, Unit.TOKENS_PER_GPU: 2},
    ),
    # 4 GPUs / (tp 2 x pp 2) = 1 rank
    "megatron": (
        {
            "runtime_args.train_backend": "megatron",
            TRAINER + "tensor_model_parallel_size": 2,
            TRAINER + "pipeline_model_parallel_size": 2,
        },
        "megatron",
        {Unit.SEQUENCES_PER_RANK: 1, Unit.TOKENS_PER_GPU: 1},
    ),
}


@pytest.mark.parametrize("name", CHATLEARN_RUNS)
def test_units_of_chatlearn(name: str) -> None:
    changes, trainer, own = CHATLEARN_RUNS[name]
    amounts = worths(read("chatlearn", {**CHATLEARN_GRPO, **CHATLEARN, **changes}, trainer=trainer))
    assert amounts == {**ANSWERS, **PERIOD, Unit.LR_TICKS: 35, **own}


UPDATE = dict.fromkeys((Unit.ROLLOUTS, Unit.UPDATES, Unit.LR_TICKS, Unit.TRAIN_STEPS), 66)
SAMPLE = {**ANSWERS, Unit.PROMPTS: 1}
SUPERVISED: dict[str, tuple[str, Flat, str, dict[Unit, Any]]] = {
    # 11 GPUs a node on 3 nodes, sp 3: 11 ranks; an update is the global batch (sft_trainer.py)
    "veRL": (
        "verl_sft",
        {
            **SAMPLES,
            "data.train_batch_size": 66,
            "trainer.nnodes": 3,
            "trainer.n_gpus_per_node": 11,
            "engine.ulysses_sequence_parallel_size": 3,
        },
        "fsdp",
        {Unit.SEQUENCES_PER_RANK: 11, Unit.TOKENS_PER_GPU: 3},
    ),
    # 33 GPUs / cp 3 = 11 ranks
    "veRL with Megatron": (
        "verl_sft",
        {
            **SAMPLES,
            "data.train_batch_size": 66,
            "trainer.nnodes": 3,
            "trainer.n_gpus_per_node": 11,
            "engine.strategy": "megatron",
            "engine.context_parallel_size": 3,
        },
        "megatron",
        {Unit.SEQUENCES_PER_RANK: 11, Unit.TOKENS_PER_GPU: 3},
    ),
    # 6 GPUs, sp 2: 3 ranks x 2 x 11 = 66
    "ROLL": (
        "roll",
        {
            **SFT,
            "sft_train.training_args.per_device_train_batch_size": 2,
            "sft_train.training_args.gradient_accumulation_steps": 11,
            "sft_train.device_mapping": "list(range(0,6))",
            "sft_train.model_args.ulysses_size": 2,
        },
        "sft",
        {Unit.SEQUENCES_PER_RANK: 3, Unit.TOKENS_PER_GPU: 2},
    ),
    "ROLL's pairs": (
        "roll",
        {
            **DPO,
            ARGS + "per_device_train_batch_size": 2,
            ARGS + "gradient_accumulation_steps": 11,
            TRAIN + "device_mapping": "list(range(0,6))",
            TRAIN + "model_args.ulysses_size": 2,
        },
        "dpo",
        {Unit.SEQUENCES_PER_RANK: 3, Unit.TOKENS_PER_GPU: 2},
    ),
}


@pytest.mark.parametrize("name", SUPERVISED)
def test_units_of_a_supervised_run(name: str) -> None:
    """Every counter counts updates, and a sample is its own prompt."""
    framework, flat, trainer, own = SUPERVISED[name]
    assert worths(read(framework, flat, trainer=trainer)) == {**SAMPLE, **UPDATE, **own}
