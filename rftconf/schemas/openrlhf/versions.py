"""Changes between OpenRLHF's releases from 0.8.0 to 0.11.2; with 0.10.2 nearly every flag got a name of its group."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.symbols import Value
from rftconf.schemas.changes_of_releases import Changes
from rftconf.schemas.edits import Edit, Move, Split, removed_keys
from rftconf.schemas.openrlhf.corrections import Correction, Icepop, Lengths, OneBound, Precision
from rftconf.schemas.value_edits import Revalue

_GROUPS: Mapping[str, Mapping[str, str]] = {
    "train": {
        **{name: name for name in ("colocate_actor_ref", "colocate_critic_reward", "async_queue_size", "enable_ema", "ema_beta")},
        **{name: name for name in ("num_episodes", "max_epochs", "seed", "agent_func_path")},
        "colocate_all_models": "colocate_all", "async_train": "async_enable", "partial_rollout": "partial_rollout_enable",
        "use_dynamic_batch": "dynamic_batch_enable", "train_max_tokens_per_gpu": "max_tokens_per_gpu",
        "train_batch_size": "batch_size", "micro_train_batch_size": "micro_batch_size", "full_determinism": "full_determinism_enable",
    },
    "vllm": {
        **{name: name for name in ("enable_prefix_caching", "enforce_eager")},
        **{f"vllm_{name}": name for name in ("num_engines", "tensor_parallel_size", "sync_backend", "sync_with_ray", "enable_sleep", "gpu_memory_utilization")},
    },
    "rollout": {
        **{name: name for name in ("vllm_generate_batch_size", "max_new_tokens", "top_p", "temperature", "n_samples_per_prompt")},
        "rollout_batch_size": "batch_size", "micro_rollout_batch_size": "micro_batch_size", "rollout_max_tokens_per_gpu": "max_tokens_per_gpu",
    },
    "data": {
        **{name: name for name in ("disable_fast_tokenizer", "dataloader_num_workers", "max_len", "max_samples", "prompt_split", "input_key")},
        **{name: name for name in ("label_key", "input_template", "apply_chat_template", "image_key", "max_images_per_prompt")},
        "prompt_data": "prompt_dataset", "prompt_data_probs": "prompt_probs",
    },
    "eval": {f"eval_{name}": name for name in ("steps", "dataset", "split", "temperature", "n_samples_per_prompt")},
    "ckpt": {
        "save_steps": "save_steps", "ckpt_path": "path", "save_hf_ckpt": "save_hf", "disable_ds_ckpt": "disable_ds", "max_ckpt_num": "max_num",
        "max_ckpt_mem": "max_mem", "load_checkpoint": "load_enable", "best_metric_key": "best_metric_key", "save_path": "output_dir",
    },
    "ds": {
        **{name: name for name in ("zero_stage", "deepcompile", "param_dtype", "zpg", "adam_offload", "attn_implementation", "use_liger_kernel")},
        **{name: name for name in ("grad_accum_dtype", "overlap_comm", "packing_samples", "load_in_4bit", "ring_attn_size", "value_head_prefix")},
        "use_ds_universal_ckpt": "use_universal_ckpt", "deepspeed_enable_sleep": "enable_sleep", "ds_tensor_parallel_size": "tensor_parallel_size",
        "lora_rank": "lora.rank", "lora_alpha": "lora.alpha", "target_modules": "lora.target_modules", "lora_dropout": "lora.dropout",
        "ring_head_stride": "ring_attn_head_stride",
    },
    "actor": {
        **{name: name for name in ("eps_clip", "eps_clip_low_high", "dual_clip", "policy_loss_type", "aux_loss_coef", "freeze_visual_encoder")},
        "gradient_checkpointing": "gradient_checkpointing_enable", "gradient_checkpointing_use_reentrant": "gradient_checkpointing_reentrant",
        "entropy_loss_coef": "entropy_coef", "actor_learning_rate": "adam.lr", "pretrain": "model_name_or_path",
    },
    "critic": {
        "value_clip": "value_clip", "freezing_actor_steps": "freezing_steps", "save_value_network": "save_value_network",
        "critic_learning_rate": "adam.lr", "critic_pretrain": "model_name_or_path",
    },
    "reward": {
        **{name: name for name in ("overlong_buffer_len", "overlong_penalty_factor", "stop_properly_penalty_coef")},
        "normalize_reward": "normalize_enable", "reward_clip_range": "clip_range", "reward_pretrain": "model_name_or_path", "remote_rm_url": "remote_url",
    },
    "algo": {
        "dynamic_filtering": "dynamic_filtering_enable", "dynamic_filtering_reward_range": "dynamic_filtering_range",
        "kl_target": "kl.target", "kl_horizon": "kl.horizon", "init_kl_coef": "kl.init_coef", "kl_estimator": "kl.estimator", "use_kl_loss": "kl.use_loss",
        "lambd": "advantage.lambd", "gamma": "advantage.gamma", "advantage_estimator": "advantage.estimator",
        "no_advantage_std_norm": "advantage.no_std_norm", "enable_vllm_is_correction": "advantage.is_correction_enable",
        "vllm_is_truncated_threshold": "advantage.is_correction_threshold", "vllm_is_correction_type": "advantage.is_correction_type",
    },
    "logger": {
        "logging_steps": "logging_steps", "use_tensorboard": "tensorboard_dir", "use_wandb": "wandb.key",
        **{f"wandb_{name}": f"wandb.{name}" for name in ("org", "group", "project", "run_name")},
    },
    **{role: {f"{role}_{name}": name for name in ("num_nodes", "num_gpus_per_node")} for role in ("ref",)},
}  # fmt: skip
"""Group of 0.10.2 to the flags in it, each older name with the name in the group (openrlhf/cli/train_ppo_ray.py of both)."""
_PLACES = tuple(
    Move(f"{role}_{name}", f"{role}.{name}")
    for role in ("actor", "critic", "reward")
    for name in ("num_nodes", "num_gpus_per_node")
)
RENAMED: tuple[Edit, ...] = (
    *(Move(old, f"{group}.{new}") for group, names in _GROUPS.items() for old, new in names.items()),
    *_PLACES,
)
_OF_BOTH = {
    "adam_betas": "adam.betas",
    "l2": "adam.weight_decay",
    "max_norm": "max_norm",
    "lr_scheduler": "lr_scheduler",
    "lr_warmup_ratio": "lr_warmup_ratio",
}
"""Flags that held for both optimizers up to 0.10.0, and each has its own since (strategy.create_optimizer; actor_cfg, critic_cfg)."""
SPLIT: tuple[Edit, ...] = (
    *(Split(old, (f"actor.{new}", f"critic.{new}")) for old, new in _OF_BOTH.items()),
    Split("ref_reward_offload", ("ref.offload", "reward.offload")),
)
_GONE = removed_keys(
    "nothing in the release that has it reads it", "actor_init_on_gpu", "ptx_coef", "perf", harmless=True
)
_STEPS: dict[str, tuple[Edit, ...]] = {
    "0.8.9": (
        Revalue("flash_attn", {True: "flash_attention_2", False: "eager"}, "which kernel computes attention is a name since 0.8.10"),
        Move("flash_attn", "attn_implementation"),
    ),
    "0.8.11": (OneBound(),),
    "0.9.1": (Precision(),),
    "0.9.2": (Icepop(),),
    "0.9.7": (Lengths(),),
    "0.10.0": (*RENAMED, *SPLIT, *_GONE),
    "0.11.0": (Correction(),),
}  # fmt: skip
"""Each edit stands under the release that it leads from."""

IMPLIED: Mapping[tuple[str, str], Mapping[str, Value]] = {
    ("0.8.2", ""): {"lr_scheduler": "cosine_with_min_lr"},
    ("0.8.8", ""): {"enable_vllm_is_correction": False},
    ("0.8.11", ""): {"use_icepop": False},
    ("0.8.7", ""): {"policy_loss_type": "ppo"},
    ("0.10.0", ""): {f"{role}.{key}": value for role in ("actor", "critic") for key, value in (("optim", "adam"), ("min_lr_ratio", 0.1))},
    ("0.11.0", ""): {"actor.loss_agg_mode": "token-mean", "algo.kl.unbiased_gradient": False, "algo.advantage.is_correction_gating": "ratio"},
}  # fmt: skip
"""A release did this before it had the flag (openrlhf/trainer/ray/ppo_actor.py and openrlhf/models/loss.py of both)."""


def edits(release: str, trainer: str) -> tuple[Edit, ...]:
    """The edits that lead from `release` to the next one."""
    del trainer
    return _STEPS.get(release, ())


CHANGES = Changes(edits, implied=IMPLIED)
