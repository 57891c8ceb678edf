"""Runs of NeMo-RL that the laws start from, in keys of its newest release."""

from __future__ import annotations

from typing import Any

from tests.laws.flip_base import Base

GROUPS: dict[str, Any] = {
    "policy.model_name": "org/small",
    "policy.max_total_sequence_length": 2048,
    "policy.train_global_batch_size": 128,
    "policy.train_micro_batch_size": 4,
    "policy.sequence_packing.enabled": False,
    "policy.generation.max_new_tokens": 1024,
    "data.max_input_seq_length": 1025,
    "data.train.dataset_name": "ResponseDataset",
    "data.train.data_path": "org/rows",
    "data.train.input_key": "question",
    "grpo.num_prompts_per_step": 64,
    "grpo.num_generations_per_prompt": 8,
    "grpo.max_num_steps": 100,
    "grpo.max_num_epochs": 3,
    "grpo.val_period": 10,
    "grpo.use_leave_one_out_baseline": False,
    "loss_fn.reference_policy_kl_penalty": 0.001,
    "cluster.num_nodes": 1,
    "cluster.gpus_per_node": 8,
}
PACKED: dict[str, Any] = {
    **{key: value for key, value in GROUPS.items() if key != "grpo.use_leave_one_out_baseline"},
    "grpo.normalize_rewards": False,
    "policy.sequence_packing.enabled": True,
    "policy.dtensor_cfg.lora_cfg.enabled": True,
    "policy.dtensor_cfg.lora_cfg.target_modules": ["o_proj"],
    "grpo.use_dynamic_sampling": True,
    "grpo.batch_multiplier": 2,
    "grpo.reward_shaping.enabled": True,
    "grpo.reward_scaling.enabled": True,
    "loss_fn.use_importance_sampling_correction": True,
    "loss_fn.truncated_importance_sampling_type": "tis",
    "loss_fn.truncated_importance_sampling_ratio": 2.0,
}
MEGATRON: dict[str, Any] = {
    **GROUPS,
    "policy.dtensor_cfg.enabled": False,
    "policy.megatron_cfg.enabled": True,
    "policy.megatron_cfg.tensor_model_parallel_size": 2,
    "policy.megatron_cfg.scheduler.lr_decay_style": "cosine",
    "policy.megatron_cfg.scheduler.lr_warmup_iters": 10,
    "policy.dynamic_batching.enabled": True,
    "policy.sequence_packing.enabled": False,
    "grpo.adv_estimator.name": "reinforce_plus_plus",
    "loss_fn.use_kl_in_reward": True,
}
AHEAD: dict[str, Any] = {
    **GROUPS,
    "grpo.async_grpo.enabled": True,
    "policy.generation.vllm_cfg.async_engine": True,
    "policy.generation.colocated.enabled": False,
    "policy.generation.colocated.resources.gpus_per_node": 4,
    "loss_fn.use_importance_sampling_correction": True,
    "loss_fn.reference_policy_kl_penalty": 0.0,
}
ADAPTED: dict[str, Any] = {
    **MEGATRON,
    "policy.megatron_cfg.peft.enabled": True,
    "policy.megatron_cfg.peft.target_modules": ["linear_qkv"],
    "cluster.num_nodes": 5,
    "policy.generation.colocated.enabled": False,
    "policy.generation.colocated.resources.gpus_per_node": 8,
    "policy.generation.colocated.resources.num_nodes": 1,
}
NEMO_RL = (
    Base("groups", GROUPS),
    Base("packed, adapters, filtered", PACKED),
    Base("megatron, decaying", MEGATRON),
    Base("engines ahead", AHEAD),
    Base("megatron, adapters, engines apart", ADAPTED),
)
