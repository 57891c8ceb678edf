"""veRL's defaults, release by release; older ones lack keys that a newer one has a default for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.flip_bases import ARR, CRITIC, VERL_GRPO
from tests.laws.flip_bases_sft import SAMPLES
from tests.mappers.worked.runs import Flat, plan

BLOCK = {
    "offload_policy": False,
    "reshard_after_forward": True,
    "forward_prefetch": False,
    "model_dtype": "fp32",
    "compute_dtype": "bfloat16",
    "use_orig_params": False,
    "seed": 42,
    "full_determinism": False,
}
"""verl 0.2.0 workers/fsdp_workers.py: _build_model_optimizer loads float32 and mixes in bfloat16, fully sharded, with FSDP1."""
ENTROPY = {"entropy_chunking": False, "entropy_checkpointing": False}
WITHOUT = {
    # workers/rollout/vllm_rollout/vllm_rollout.py of 0.2.0: an engine is tensor-parallel alone
    "placement.rollout.dp": 1,
    "placement.rollout.pp": 1,
    "placement.rollout.ep": 1,
    "placement.rollout.seed": 0,
    # utils/checkpoint/fsdp_checkpoint_manager.py: saves before it goes on
    "checkpoint.asynchronous": False,
    "model.tokenizer_path": None,
    "model.chat_template": None,
    "model_options.activation_offload": False,
    "model_options.liger": False,
    "model_options.fused_kernels": False,
    # torch.optim.AdamW(betas=(0.9, 0.999)) in _build_model_optimizer
    "optim.actor.kind": "adamw",
    "optim.actor.betas": [0.9, 0.999],
    "batch.prompts_per_fetch": None,
    "sync.bucket_megabytes": None,
}
PPO = {**VERL_GRPO, **CRITIC}
CRITICS = {
    "optim.critic.kind": "adamw",
    "optim.critic.betas": [0.9, 0.999],
    "model_options.critic_activation_offload": False,
    "algorithm.critic.loss_agg": "token-mean",
    # trainer/config/ppo_trainer.yaml: critic.model.tokenizer_path: ${actor_rollout_ref.model.path}
    "model.critic_tokenizer_path": "base/model",
}
MEGATRON = {f"{ARR}.actor.strategy": "megatron"}
COSINE = {f"{ARR}.actor.optim.lr_scheduler_type": "cosine"}
MCORE = {"megatron.use_mbridge": False, "megatron.dtype": "bfloat16", "megatron.seed": 1}
"""verl 0.2.0 trainer/config/ppo_megatron_trainer.yaml: seed: 1."""


def below(role: str, fields: Flat) -> dict[str, Any]:
    """The fields of one role."""
    return {f"placement.{role}.{field}": value for field, value in fields.items()}


RUNS: dict[str, tuple[Flat, str, str, Flat]] = {
    "0.2.0": (VERL_GRPO, "fsdp", "0.2.0", {**WITHOUT, **below("actor", {**BLOCK, **ENTROPY, "min_wrap_params": 0})}),
    "0.2.0, its reference": (
        VERL_GRPO,
        "fsdp",
        "0.2.0",
        below("reference", {**BLOCK, **ENTROPY, "torch_compile": True, "min_wrap_params": 0}),
    ),
    "0.2.0, its critic": (PPO, "fsdp", "0.2.0", {**CRITICS, **below("critic", {**BLOCK, "min_wrap_params": 0})}),
    "0.2.0 with Megatron": ({**VERL_GRPO, **MEGATRON}, "megatron", "0.2.0", {**WITHOUT, **below("actor", MCORE)}),
    "0.2.0 with a Megatron critic": ({**PPO, **MEGATRON}, "megatron", "0.2.0", {**CRITICS, **below("critic", MCORE)}),
    # workers/rollout/vllm_rollout/vllm_rollout_spmd.py of 0.5.0: LLM(enable_prefix_caching=True)
    "0.5.0": (VERL_GRPO, "fsdp", "0.5.0", {"placement.rollout.prefix_cache": True, "placement.rollout.dp": 1}),
    "0.7.1 with TorchTitan": (
        VERL_GRPO,
        "torchtitan",
        "0.7.1",
        below("actor", {"offload_policy": False, "compute_dtype": "bfloat16", "min_wrap_params": 0, **ENTROPY}),
    ),
    "0.7.1 with VeOmni": (VERL_GRPO, "veomni", "0.7.1", below("actor", ENTROPY)),
    "0.9.1 with Megatron, whose critic offloads nothing": (
        {**PPO, **MEGATRON},
        "megatron",
        "0.9.1",
        {"model_options.critic_activation_offload": False, "algorithm.critic.loss_agg": "token-mean"},
    ),
    # trainer/config/optim/fsdp.yaml: the cosine ends at 0; before the key, get_cosine_schedule_with_warmup has no floor
    "a cosine": ({**VERL_GRPO, **COSINE}, "fsdp", "0.9.1", {"optim.actor.min_lr_ratio": 0.0}),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_nobody_says(name: str) -> None:
    flat, trainer, release, fields = RUNS[name]
    assert dict(zip(fields, plan("verl", flat, *fields, trainer=trainer, release=release), strict=True)) == fields


@pytest.mark.parametrize("release", ["0.7.1", "0.9.1"])
def test_engines_of_their_own_get_weights_over_nccl(release: str) -> None:
    """verl 0.7.1 experimental/one_step_off_policy/config: checkpoint_engine.backend: "nccl"."""
    flat = {**VERL_GRPO, "rollout.nnodes": 1, "rollout.n_gpus_per_node": 8}
    assert plan("verl", flat, "sync.transport", trainer="one_step_off", release=release) == ["nccl"]


SFT: dict[str, tuple[str, Flat, str, str, Flat]] = {
    # verl 0.6.1 trainer/sft_trainer.py: StatefulDataLoader(num_workers=8)
    "0.6.1": (
        "verl_sft",
        SAMPLES,
        "fsdp",
        "0.6.1",
        {"data.loader_workers": 8, "checkpoint.asynchronous": False, "placement.actor.full_determinism": False},
    ),
    "0.9.1": (
        "verl_sft",
        SAMPLES,
        "fsdp",
        "0.9.1",
        {
            "checkpoint.asynchronous": False,
            "optim.actor.kind": "adamw",
            "placement.actor.model_dtype": "fp32",
            "model_options.liger": False,
            "batch.micro.dynamic": True,
        },
    ),
    # verl 0.2.0 trainer/fsdp_sft_trainer.py: FSDP1 in float32, weights alone are saved; AdamW, a cosine to 0
    "fsdp_sft_trainer of 0.2.0": (
        "verl_fsdp_sft",
        {
            "data.train_files": "/d/train.parquet",
            "data.val_files": "/d/test.parquet",
            "model.partial_pretrain": "base/model",
        },
        "",
        "0.2.0",
        {
            "placement.actor.backend": "fsdp",
            "placement.actor.model_dtype": "fp32",
            "checkpoint.contents": ["model"],
            "optim.actor.kind": "adamw",
            "optim.actor.min_lr_ratio": 0.0,
            "optim.actor.schedule": "cosine",
            "batch.micro.dynamic": False,
        },
    ),
}


@pytest.mark.parametrize("name", SFT)
def test_what_nobody_says_to_a_supervised_run(name: str) -> None:
    framework, flat, trainer, release, fields = SFT[name]
    assert dict(zip(fields, plan(framework, flat, *fields, trainer=trainer, release=release), strict=True)) == fields
