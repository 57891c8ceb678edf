"""Legal values for a key other than its default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rftconf.schemas.catalogue import Key

SPECIAL: tuple[tuple[str, tuple[Any, ...]], ...] = (
    (r"^use_pg_clip_range", (True,)),
    (r"lora_target", ("k_proj", "all")),
    (r"device_mapping", ("list(range(0,8))", "list(range(16,32))", "list(range(0,32))")),
    (r"gradient_accumulation_steps", (8, 2)),
    (r"^norm_(mean|std)_type", ("group", None)),
    (r"^adv_estimator", ("reinforce", "gae")),
    (r"worker_cls", ("roll.pipeline.rlvr.actor_pg_worker.ActorPGWorker",)),
    (r"pg_variant", ("cispo",)),
    (r"^resume_from_checkpoint", (True, "/ckpt/checkpoint-20")),
    (r"query_filter_config\.type", ("std_filter", "mean_filter")),
    (r"^track_with", ("wandb",)),
    (r"algorithm\.adv_estimator", ("rloo", "gae")),
    (r"actor\.strategy|ref\.strategy|critic\.strategy", ("fsdp2", "megatron")),
    (r"kl_ctrl\.type", ("adaptive",)),
    (r"algorithm\.kl_penalty|kl_loss_type", ("mse", "low_var_kl", "kl")),
    (r"actor\.policy_loss\.loss_mode", ("gspo",)),
    (r"loss_agg_mode", ("seq-mean-token-mean", "seq-mean-token-sum")),
    (r"lr_scheduler_type|lr_decay_style", ("cosine", "constant", "linear")),
    (r"rollout\.name", ("sglang",)),
    (r"trainer\.resume_mode", ("disable", "auto")),
    (r"trainer\.logger", (["console", "tensorboard"],)),
    (r"trainer_mode", ("separate_async", "colocate_async")),
    (r"checkpoint\.(save|load)_contents", (["model", "hf_model"],)),
    (r"_coef|target|epsilon", (0.005,)),
    (r"clip_(range|ratio)(_low|_high|_c)?|tau_(pos|neg)", (0.3, 4.0)),
    (r"_args\.(gamma|lam)", (0.95,)),
    (r"std_threshold", (0.1,)),
    (r"adaptive|duplicate_experiences|critic\.fsdp\.\w+_offload|forward_prefetch|enable_activation_offload", (True, False)),
    (r"reshard_after_forward", (False, True)),
    (r"reward_model\.enable", (True, False)),
    (r"max_num_seqs|max_num_batched_tokens|min_num_params|horizon|fsdp_size", (64,)),
    (r"checkpoint_engine\.backend", ("mooncake", "nccl")),
    (r"micro_batch_size(_per_gpu)?", (8, 2)),
    (r"gen_batch_size", (64, 1)),
    (r"seed", (7,)),
    (r"ckpt_to_keep|checkpoints_to_keep", (3,)),
    (r"total_training_steps|total_steps", (50, 200)),
    (r"total_rollout_steps", (25600, 12800)),
    (r"\boptimizer", ("SGD", "sgd")),
    (r"\.dtype|model_dtype", ("float16", "fp16", "bfloat16", "float32")),
    (r"load_format", ("auto", "safetensors")),
    (r"filter_groups\.metric", ("acc",)),
    (r"data\.(train|val)_files", ("/data/other/train.parquet",)),
    (r"custom_reward_function\.(path|name)", ("other_score.py",)),
    (r"reward_manager\.name", ("dapo",)),
    (r"rollout_correction\.rollout_(is|rs)", ("token",)),
    (r"trainer\.nnodes|cluster\.node_num", (4, 1)),
    (r"n_gpus_per_node|cluster\.gpu_per_node", (4, 16)),
    (r"rollout\.nnodes", (2,)),
    (r"(tensor|pipeline)(_model)?_parallel_size|context_parallel_size|expert_(model|tensor)_parallel_size|ulysses_sequence_parallel_size", (2, 4, 1)),
    (r"data_parallel_size|expert_parallel_size", (2,)),
    (r"train_batch_size", (512, 128, 1024)),
    (r"buffer\.batch_size", (128, 32)),
    (r"ppo_mini_batch_size", (128, 32)),
    (r"rollout\.n|repeat_times", (4, 16)),
    (r"gpu_memory_utilization", (0.7, 0.6)),
    (r"engine_num", (2, 6)),
    (r"lr_warmup_steps|lr_warmup_steps", (12, 40)),
    (r"\.betas", ([0.9, 0.95],)),
    (r"target_modules", (["q_proj", "v_proj"],)),
    (r"^mode|^stages\[\]\.mode", ("colocate",)),
    (r"algorithm\.algorithm_type", ("rloo", "ppo")),
    (r"advantage_fn", ("rloo",)),
    (r"policy_loss_fn", ("gspo",)),
    (r"kl_(loss|penalty)_fn", ("none", "k1", "low_var_kl")),
    (r"entropy_loss_fn", ("none",)),
    (r"std_cal_level", ("batch",)),
    (r"monitor_type", ("wandb",)),
    (r"engine_type", ("sglang",)),
    (r"trainer_strategy", ("fsdp", "megatron")),
    (r"sync_style", ("trainer_driven",)),
    (r"sync_method", ("memory", "checkpoint")),
    (r"sync_interval", (8, 2)),
    (r"selector_type", ("shuffle", "sequential")),
    (r"storage_type", ("sql",)),
    (r"prompt_type", ("plaintext", "messages")),
    (r"save_hf_checkpoint", ("always",)),
    (r"log\.level", ("DEBUG",)),
)  # fmt: skip


def candidates(name: str, key: Key, present: Any = None) -> list[Any]:
    """Values to try in turn, unlike the default and what is `present`; the first that makes a difference decides."""
    if isinstance(present, bool):
        return [not present]
    return [value for value in _candidates(name, key) if value != present]


def _candidates(name: str, key: Key) -> list[Any]:
    for pattern, values in SPECIAL:
        if re.search(rf"(?:{pattern})$", name):
            return [value for value in values if value != key.default]
    if key.choices:
        return [choice for choice in key.choices if choice != key.default]
    kind = key.type.split("|")[0]
    default = key.default
    if kind == "bool" or isinstance(default, bool):
        passed_on = name.startswith(
            "trainer.trainer_config."
        )  # Trinity's own defaults, not the catalogue's, hold there
        return [not default, bool(default)] if passed_on or default is None else [not default]
    if kind == "int" or (kind == "any" and isinstance(default, int)):
        number = default if isinstance(default, int) else 0
        return [number * 2, number + 1] if number > 0 else [3, 16]
    if kind == "float":
        return (
            [float(default) / 2, float(default) + 0.25]
            if isinstance(default, (int, float)) and default
            else [0.125, 2.5]
        )
    if kind.startswith("list"):
        return [[3]] if "int" in kind else [["other"]]
    if kind == "any" and isinstance(default, list):
        return [["other"]]
    return ["other"]


def is_open(key: Key) -> bool:
    """True for free dictionaries: a key of one's own below them is what a file sets."""
    return key.open or key.type.split("|")[0] == "dict"


def is_node(name: str, keys: Mapping[str, Key]) -> bool:
    """True for a mapping, or a list of mappings, whose fields the catalogue lists: not a leaf."""
    return not keys[name].open and any(second.startswith((f"{name}.", f"{name}[].", f"{name}<*>.")) for second in keys)
