"""Defaults of Trinity-RFT and ROLL that no catalogue has: free dictionaries are filled in their code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.flip_bases import ARR, PPO, TRINITY_GRPO, VERL_GRPO
from tests.laws.flip_bases_roll import MEGATRON, RLVR, SFT
from tests.laws.flip_bases_roll import PPO as ROLL_PPO
from tests.laws.round_trips import convert_flat
from tests.mappers.worked.runs import Flat, keys, plan

FSDP = {
    "reshard_after_forward": True,
    "fsdp_shard_gpus": None,
    "forward_prefetch": False,
    "model_dtype": "fp32",
    "compute_dtype": "bfloat16",
    "min_wrap_params": 0,
}
"""trinity 0.6.0 trainer/verl/config.py: _build_fsdp_engine_config; a size of -1 is all GPUs."""
RECOMPUTE = {
    "recompute_granularity": "full",
    "recompute_modules": ["core_attn"],
    "recompute_method": "uniform",
    "recompute_num_layers": 1,
}
MCORE = {
    "megatron.tp": 1,
    "megatron.pp": 1,
    "megatron.vpp": None,
    "megatron.cp": 1,
    "megatron.ep": 1,
    "megatron.etp": None,
    "megatron.sequence_parallel": True,
    "megatron.distributed_optimizer": True,
    "megatron.use_mbridge": True,
    "megatron.use_dist_checkpointing": False,
    "megatron.dist_checkpointing_path": None,
    "megatron.transformer_overrides": RECOMPUTE,
    "megatron.ddp_overrides": None,
    "megatron.model_overrides": None,
    "megatron.dtype": "bfloat16",
    "megatron.seed": 42,
    "offload.grad": False,
}
"""trinity 0.6.0 common/config.py: MegatronParallelConfig; trainer/verl/config.py: _build_mcore_engine_config."""


def below(role: str, fields: Flat) -> dict[str, Any]:
    """The fields of one role."""
    return {f"placement.{role}.{field}": value for field, value in fields.items()}


ALL_OF_IT = ["model", "optimizer", "extra"]
TRINITY: Flat = {
    # trainer/verl/config.py of 0.6.0: _build_actor_config, _build_checkpoint_config, _build_model_config
    "batch.passes": 1,
    "batch.shuffle_sequences": False,
    "batch.balance_ranks": True,
    "batch.micro.dynamic": True,
    "checkpoint.contents": ALL_OF_IT,
    "checkpoint.load_contents": ALL_OF_IT,
    "checkpoint.asynchronous": False,
    "checkpoint.keep": None,
    "checkpoint.critic_keep": None,
    "model.config_overrides": None,
    "model_options.gradient_checkpointing": True,
    "model_options.activation_offload": False,
    "model_options.fused_kernels": False,
    "model_options.remove_padding": True,
    # common/config.py of 0.6.0: ModelConfig, GenerationConfig, OptimizerConfig, TrainerConfig
    "model.trust_remote_code": False,
    "length.overlong_prompt": "mask_dummy",
    "sampling.train.top_p": 1.0,
    "sampling.train.repetition_penalty": 1.0,
    "sampling.train.ignore_eos": False,
    "optim.actor.schedule": "constant",
    "algorithm.critic.warmup_rollouts": 0,
    "placement.rollout.dp": 1,
    "placement.rollout.pp": 1,
    "placement.rollout.ep": 1,
    "placement.rollout.max_num_seqs": None,
    "placement.rollout.max_batched_tokens": None,
    "placement.actor.offload.param": False,
    "placement.actor.offload.optimizer": False,
    "placement.actor.offload_policy": False,
    "placement.actor.entropy_chunking": False,
    "placement.actor.entropy_checkpointing": False,
    **below("actor", FSDP),
}
CRITIC: Flat = {
    # trainer/verl/config.py of 0.6.0: _build_critic_config, _build_critic_optimizer_config
    "batch.critic_passes": 1,
    "batch.critic_shuffle_sequences": True,
    "optim.critic.lr": 1e-5,
    "optim.critic.betas": [0.9, 0.999],
    "optim.critic.weight_decay": 0.01,
    "optim.critic.grad_clip": 1.0,
    "optim.critic.schedule": "constant",
    "algorithm.critic.value_clip": 0.5,
    "algorithm.critic.loss_agg": "token-mean",
    "placement.reference.entropy_chunking": False,
    "placement.reference.entropy_checkpointing": False,
    **below("critic", FSDP),
    **below("reference", FSDP),
}
CRITICS = "trainer.trainer_config.critic."
ACTOR = "trainer.trainer_config.actor_rollout_ref.actor."
MANY = {f"{ACTOR}shuffle": True, f"{ACTOR}ppo_epochs": 2}
OLD = {
    # 0.3.3: no such keys; one engine is tensor-parallel alone, transformers' own defaults stand
    "model.trust_remote_code": False,
    "sampling.train.repetition_penalty": 1.0,
    "placement.rollout.dp": 1,
    "placement.rollout.pp": 1,
    "checkpoint.keep": None,
    "sync.bucket_megabytes": None,
}
STATIC = {"trainer.use_dynamic_bsz": False}
BATCHES = {
    # trinity/trainer/verl_legacy/verl_config.py of 0.6.0, which veRL 0.7.1 leads to; newer ones stop without sizes
    "batch.micro.sequences_per_rank": 1,
    "batch.log_prob.sequences_per_rank": None,
    "batch.reference.sequences_per_rank": 1,
}
NAMED = {"trainer.trainer_strategy": "megatron"}
TRINITY_RUNS: dict[str, tuple[Flat, str, Flat]] = {
    "0.6.0": (TRINITY_GRPO, "0.6.0", TRINITY),
    "0.6.0 with a critic": ({**TRINITY_GRPO, **PPO}, "0.6.0", CRITIC),
    "0.6.0 with Megatron": ({**TRINITY_GRPO, **NAMED}, "0.6.0", below("actor", MCORE)),
    "0.6.0, decaying critic": (
        {**TRINITY_GRPO, **PPO, f"{CRITICS}optim.lr_scheduler_type": "cosine"},
        "0.6.0",
        {"optim.critic.min_lr_ratio": 0.01},
    ),
    "0.6.0 with micro-batches of sequences": ({**TRINITY_GRPO, **STATIC}, "0.6.0", BATCHES),
    "0.6.0, a shuffle over passes": ({**TRINITY_GRPO, **MANY}, "0.6.0", {"seeds.minibatch": 42, "batch.passes": 2}),
    "0.6.0 with SGLang": (
        {**TRINITY_GRPO, "explorer.rollout_model.engine_type": "sglang"},
        "0.6.0",
        {"placement.rollout.max_num_seqs": None},
    ),
    # trinity/trainer/verl/verl_config.py of 0.5.2: Actor, Ref and Critic have one sequence at once, Rollout has none;
    # dp_critic.py: forward_micro_batch_size_per_gpu 1 where nobody writes it
    "0.5.2 with a critic and micro-batches of sequences": (
        {**TRINITY_GRPO, **PPO, **STATIC},
        "0.5.2",
        {
            "batch.micro.sequences_per_rank": 1,
            "batch.log_prob.sequences_per_rank": None,
            "batch.reference.sequences_per_rank": 1,
            "batch.critic.sequences_per_rank": 1,
            "batch.critic_infer.sequences_per_rank": 1,
            "algorithm.critic.warmup_rollouts": 0,
        },
    ),
    "0.3.3": (TRINITY_GRPO, "0.3.3", OLD),
}


@pytest.mark.parametrize("name", TRINITY_RUNS)
def test_what_nobody_says_to_trinity(name: str) -> None:
    flat, release, fields = TRINITY_RUNS[name]
    assert dict(zip(fields, plan("trinity", flat, *fields, release=release), strict=True)) == fields


SHARDED = {"fsdp_shard_gpus": None, "reshard_after_forward": True, "offload_policy": False, "compute_dtype": "bfloat16"}
"""roll 0.3.0 distributed/strategy/fsdp2_strategy.py: fully_shard, CPUOffloadPolicy, MixedPrecisionPolicy."""
PARALLEL = {
    "megatron.tp": 1,
    "megatron.pp": 1,
    "megatron.vpp": None,
    "megatron.cp": 1,
    "megatron.ep": 1,
    "megatron.etp": None,
    "megatron.sequence_parallel": False,
    "megatron.distributed_optimizer": False,
}
"""roll 0.3.0 mcore_adapter/training_args.py: DistributingParallelArguments, TrainingArguments."""
ENGINE: Flat = {
    # distributed/strategy/vllm_strategy.py of 0.3.0: initialize, `if ... not in vllm_config`
    "placement.rollout.dp": 1,
    "placement.rollout.pp": 1,
    "placement.rollout.max_num_seqs": None,
    "placement.rollout.max_batched_tokens": 8192,
    "placement.rollout.enforce_eager": False,
    "placement.rollout.prefix_cache": True,
    "placement.rollout.chunked_prefill": None,
    "placement.rollout.load_format": "dummy",
    "placement.actor.sp": 1,
    "placement.reference.sp": 1,
}
PLAIN_MEGATRON = {key: value for key, value in MEGATRON.items() if "parallel_size" not in key}
FOLLOWS: Flat = {
    "pretrain": "base/model",
    "kd_objective": "forward_kl",
    "student.strategy_args.strategy_name": "megatron_train",
    "student.device_mapping": "list(range(0,8))",
    "student.data_args.file_name": ["/data/chat/train.jsonl"],
    "student.training_args.per_device_train_batch_size": 2,
    "student.training_args.gradient_accumulation_steps": 3,
    "teacher.model_args.model_name_or_path": "base/teacher",
}
NO_PACKING = {"batch.log_prob.dynamic": False, "batch.reference.dynamic": False}
ROLL_RUNS: dict[str, tuple[Flat, str, str, Flat]] = {
    "rlvr": (RLVR, "rlvr", "0.3.0", {**ENGINE, **below("actor", SHARDED), **below("reference", SHARDED)}),
    "rlvr with Megatron": (
        {**RLVR, **PLAIN_MEGATRON},
        "rlvr",
        "0.3.0",
        {**below("actor", PARALLEL), **below("reference", PARALLEL)},
    ),
    "rlvr with a critic": (
        {**RLVR, **ROLL_PPO},
        "rlvr",
        "0.3.0",
        {**below("critic", SHARDED), "placement.critic.sp": 1},
    ),
    "rlvr with SGLang": (
        {**RLVR, "actor_infer.strategy_args.strategy_name": "sglang"},
        "rlvr",
        "0.3.0",
        {"placement.rollout.max_num_seqs": None},
    ),
    "sft": (SFT, "sft", "0.3.0", {**below("actor", SHARDED), "placement.actor.sp": 1}),
    "sft with Megatron": (
        {**SFT, "sft_train.strategy_args.strategy_name": "megatron_train"},
        "sft",
        "0.3.0",
        below("actor", PARALLEL),
    ),
    # base_worker.py of 0.1.1: compute_log_probs and compute_values take infer_batch_size alone
    "rlvr of 0.1.1": (RLVR, "rlvr", "0.1.1", {**NO_PACKING, "checkpoint.keep": None, "sync.bucket_megabytes": None}),
    # distributed/strategy/megatron_strategy.py of 0.1.1: sequences are padded, and nothing packs them
    "a student of 0.1.1": (
        FOLLOWS,
        "distill",
        "0.1.1",
        {"model_options.remove_padding": False, "placement.actor.backend": "megatron"},
    ),
    "a packing policy of 0.1.1": ({**RLVR, **PLAIN_MEGATRON}, "rlvr", "0.1.1", {"model_options.remove_padding": None}),
    "rlvr of 0.1.1 with a critic on Megatron": (
        {**RLVR, **ROLL_PPO, "critic.strategy_args.strategy_name": "megatron_train"},
        "rlvr",
        "0.1.1",
        {"model_options.critic_remove_padding": False},
    ),
    "rlvr of 0.1.1 with a critic": ({**RLVR, **ROLL_PPO}, "rlvr", "0.1.1", {"batch.critic_infer.dynamic": False}),
}


@pytest.mark.parametrize("name", ROLL_RUNS)
def test_what_nobody_says_to_roll(name: str) -> None:
    flat, trainer, release, fields = ROLL_RUNS[name]
    assert dict(zip(fields, plan("roll", flat, *fields, trainer=trainer, release=release), strict=True)) == fields


def test_the_shards_of_a_role_whose_sequences_are_spread() -> None:
    """roll 0.3.0 fsdp2_strategy.py asserts ulysses_size <= fsdp_size, whose default is 1: 6 GPUs, 3 to a sequence."""
    values = {
        "placement.actor.gpus": 6,
        "placement.actor.backend": "fsdp2",
        "placement.reference.gpus": 6,
        "placement.reference.backend": "fsdp2",
        "placement.reference.sp": 3,
        "algorithm.kl_loss.enabled": True,
    }
    assert keys("roll", values, "reference.model_args.ulysses_size") == [3]


MCORE_NULLS = {
    f"{ARR}.actor.strategy": "megatron",
    f"{ARR}.actor.megatron.expert_tensor_parallel_size": None,
    f"{ARR}.actor.megatron.virtual_pipeline_model_parallel_size": None,
    f"{ARR}.rollout.max_num_seqs": None,
    f"{ARR}.rollout.max_num_batched_tokens": None,
}
SGLANG_NULLS = {f"{ARR}.rollout.name": "sglang", f"{ARR}.rollout.max_num_seqs": None}
FROM_MEGATRON: list[tuple[str, Flat, str, str]] = [
    ("verl", {**VERL_GRPO, **MCORE_NULLS}, "megatron", "roll"),
    ("verl", {**VERL_GRPO, **MCORE_NULLS}, "megatron", "trinity"),
    ("roll", {**RLVR, **PLAIN_MEGATRON}, "rlvr", "trinity"),
    ("roll", {**RLVR, **PLAIN_MEGATRON}, "rlvr", "roll"),
    ("trinity", {**TRINITY_GRPO, **STATIC}, "", "trinity"),
    ("trinity", {**TRINITY_GRPO, **NAMED}, "", "trinity"),
    ("verl", {**VERL_GRPO, **SGLANG_NULLS}, "fsdp", "roll"),
    ("verl", {**VERL_GRPO, **SGLANG_NULLS}, "fsdp", "trinity"),
]


@pytest.mark.parametrize(("framework", "flat", "trainer", "to"), FROM_MEGATRON)
def test_what_is_not_set_is_not_written(framework: str, flat: Flat, trainer: str, to: str) -> None:
    """A null would be an argument of Megatron's or of the engine's, where the source says nothing."""
    ledger = convert_flat(framework, to, dict(flat), trainer).ledger
    assert [line.key for line in ledger.targets if line.value is None] == []
