"""veRL's sizes, worked out: 5 nodes x 6 GPUs, a period of 30 prompts x 7 answers, updates of 15 x 7."""

from __future__ import annotations

import pytest

from tests.laws.flip_bases import ARR, CRITIC, STATIC, VERL_GRPO
from tests.laws.flip_bases_sft import SAMPLES
from tests.mappers.worked.runs import Flat, plan, read

SIZES: Flat = {
    **VERL_GRPO,
    "data.train_batch_size": 30,
    f"{ARR}.rollout.n": 7,
    f"{ARR}.actor.ppo_mini_batch_size": 15,
    "trainer.nnodes": 5,
    "trainer.n_gpus_per_node": 6,
    f"{ARR}.rollout.tensor_model_parallel_size": 1,
    f"{ARR}.actor.ulysses_sequence_parallel_size": 2,
}
PPO = {**SIZES, **CRITIC, f"{ARR}.rollout.n": 7}
TOTALS: Flat = {
    **STATIC,
    f"{ARR}.actor.ppo_micro_batch_size_per_gpu": None,
    f"{ARR}.actor.ppo_micro_batch_size": 45,
    f"{ARR}.rollout.log_prob_micro_batch_size_per_gpu": None,
    f"{ARR}.rollout.log_prob_micro_batch_size": 75,
    f"{ARR}.ref.log_prob_micro_batch_size_per_gpu": None,
    f"{ARR}.ref.log_prob_micro_batch_size": 105,
}
CRITICS: Flat = {
    "critic.use_dynamic_bsz": False,
    "critic.ppo_micro_batch_size": 60,
    "critic.forward_micro_batch_size": 120,
    "critic.ulysses_sequence_parallel_size": 1,
}
READ: dict[str, tuple[str, Flat, str, str, Flat]] = {
    # 0.6.1 workers/fsdp_workers.py: ActorRolloutRefWorker divides each by device_mesh.size() // sp = 30 // 2 = 15
    "micro-batches over all ranks": (
        "verl",
        {**SIZES, **TOTALS},
        "fsdp",
        "0.6.1",
        {
            "batch.micro.sequences_per_rank": 3,
            "batch.log_prob.sequences_per_rank": 5,
            "batch.reference.sequences_per_rank": 7,
        },
    ),
    # CriticWorker divides by world_size // its own ulysses_sequence_parallel_size = 30 // 1
    "micro-batches over all ranks of the critic": (
        "verl",
        {**PPO, **CRITICS},
        "fsdp",
        "0.6.1",
        {"batch.critic.sequences_per_rank": 2, "batch.critic_infer.sequences_per_rank": 4},
    ),
    # workers/engine/utils.py of 0.9.1: prepare_micro_batches takes max_token_len_per_gpu * sp_size, of its own engine
    "caps of tokens": (
        "verl",
        {
            **PPO,
            f"{ARR}.actor.ppo_max_token_len_per_gpu": 1100,
            f"{ARR}.rollout.log_prob_max_token_len_per_gpu": 1300,
            f"{ARR}.ref.log_prob_max_token_len_per_gpu": 1700,
            f"{ARR}.rollout.log_prob_use_dynamic_bsz": True,
            f"{ARR}.ref.log_prob_use_dynamic_bsz": True,
            "trainer.use_v1": False,  # ppo/ray_trainer.py: one cap for each pass of the critic
            "critic.ppo_max_token_len_per_gpu": 1900,
            "critic.ppo_infer_max_token_len_per_gpu": 2300,
            "critic.fsdp.ulysses_sequence_parallel_size": 3,
        },
        "fsdp",
        "0.9.1",
        {
            "batch.micro.tokens_per_rank": 2200,
            "batch.log_prob.tokens_per_rank": 2600,
            "batch.reference.tokens_per_rank": 3400,
            "batch.critic.tokens_per_rank": 5700,
            "batch.critic_infer.tokens_per_rank": 6900,
        },
    ),
    # workers/fsdp_workers.py of 0.2.0: fsdp_size GPUs share a copy of the weights
    "sizes of a mesh": (
        "verl",
        {**SIZES, f"{ARR}.actor.fsdp_config.fsdp_size": 6},
        "fsdp",
        "0.9.1",
        {"placement.actor.fsdp_shard_gpus": 6},
    ),
    "TorchTitan's mesh": (
        "verl",
        {
            **VERL_GRPO,
            f"{ARR}.actor.torchtitan.data_parallel_shard_size": 4,
            f"{ARR}.actor.torchtitan.tensor_parallel_size": 2,
        },
        "torchtitan",
        "0.9.1",
        {"placement.actor.fsdp_shard_gpus": 4, "placement.actor.mesh.tp": 2},
    ),
    "VeOmni's mesh": (
        "verl",
        {**VERL_GRPO, f"{ARR}.actor.veomni.fsdp_size": 4, f"{ARR}.actor.veomni.mixed_precision": False},
        "veomni",
        "0.9.1",
        {"placement.actor.fsdp_shard_gpus": 4, "placement.actor.model_dtype": "bf16"},
    ),
    # workers/rollout/vllm_rollout: the engine takes rollout.prompt_length, which follows the data's unless it is written
    "the engine's own lengths": (
        "verl",
        {
            **SIZES,
            f"{ARR}.rollout.prompt_length": 300,
            f"{ARR}.rollout.response_length": 700,
            f"{ARR}.rollout.max_model_len": 1100,
        },
        "fsdp",
        "0.9.1",
        {"length.prompt_max_tokens": 300, "length.response_max_tokens": 700},
    ),
    # trainer/main_generation.py: a pool of nnodes x n_gpus_per_node, n_samples answers to each of batch_size prompts
    "answers to a file": (
        "verl_generation",
        {
            "trainer.nnodes": 3,
            "trainer.n_gpus_per_node": 5,
            "data.path": "/d/prompts.parquet",
            "data.n_samples": 7,
            "data.batch_size": 11,
            "model.path": "base/model",
            "rollout.prompt_length": 130,
            "rollout.response_length": 170,
            "rollout.max_model_len": 310,
            "rollout.max_num_batched_tokens": 4000,
        },
        "",
        "0.6.1",
        {
            "kind": "generate",
            "batch.responses_per_prompt": 7,
            "batch.prompts_per_fetch": 11,
            "length.prompt_max_tokens": 130,
            "length.response_max_tokens": 170,
            "length.model_max_tokens": 310,
            "placement.rollout.max_batched_tokens": 4000,
        },
    ),
    # trainer/sft_trainer.py: a batch of data.train_batch_size over 30 / 2 ranks, micro-batches of 3
    "a supervised run": (
        "verl_sft",
        {
            **SAMPLES,
            "trainer.nnodes": 5,
            "trainer.n_gpus_per_node": 6,
            "data.train_batch_size": 45,
            "engine.ulysses_sequence_parallel_size": 2,
            "data.use_dynamic_bsz": False,
            "data.micro_batch_size_per_gpu": 3,
        },
        "fsdp",
        "0.9.1",
        {
            "batch.sequences_per_update": 45,
            "batch.micro.sequences_per_rank": 3,
            "placement.actor.sp": 2,
            "placement.actor.gpus": 30,
        },
    ),
    "a wsd schedule": (
        "verl_fsdp_sft",
        {"data.train_files": "/d/t.parquet", "model.partial_pretrain": "base/model", "optim.lr_scheduler": "wsd"},
        "",
        "0.5.0",
        {"optim.actor.schedule": "wsd"},
    ),
    "a cosine": (
        "verl_fsdp_sft",
        {"data.train_files": "/d/t.parquet", "model.partial_pretrain": "base/model", "optim.lr_scheduler": "cosine"},
        "",
        "0.5.0",
        {"optim.actor.schedule": "cosine"},
    ),
    # workers/fsdp_workers.py of 0.6.1: 15 prompts x 5 answers are 75 sequences; 75 // 30 ranks x 30 = 60 divide 60 x 5
    "an update that ranks cannot share": (
        "verl",
        {
            **VERL_GRPO,
            "data.train_batch_size": 60,
            f"{ARR}.rollout.n": 5,
            f"{ARR}.actor.ppo_mini_batch_size": 15,
            "trainer.nnodes": 5,
            "trainer.n_gpus_per_node": 6,
            f"{ARR}.rollout.tensor_model_parallel_size": 1,
        },
        "fsdp",
        "0.6.1",
        {"batch.sequences_per_update": 60},
    ),
    # 0.9.1: the run asks for 40 steps, of which its 2 epochs of 300 rows in batches of 30 are 20; a period has 2 updates
    "a rate for more than the epochs": (
        "verl",
        {
            **SIZES,
            "trainer.total_epochs": 2,
            "trainer.total_training_steps": 40,
            f"{ARR}.actor.optim.lr_scheduler_type": "cosine",
        },
        "fsdp",
        "0.9.1",
        {"run_length.rollouts": 20, "optim.actor.decay_updates": 80},
    ),
}


@pytest.mark.parametrize("name", READ)
def test_sizes_of_a_plan(name: str) -> None:
    framework, flat, trainer, release, fields = READ[name]
    sizes = plan(framework, flat, *fields, trainer=trainer, release=release, rows=300)
    assert dict(zip(fields, sizes, strict=True)) == fields


def test_the_pool_of_a_program_that_writes_answers() -> None:
    values = read("verl_generation", READ["answers to a file"][1], release="0.6.1").values
    assert (values["cluster.nodes"], values["cluster.gpus_per_node"]) == (3, 5)
