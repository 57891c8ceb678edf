"""Bases of veRL's SFT program, for both engines."""

from __future__ import annotations

from typing import Any

from tests.laws.flip_base import Base

SAMPLES: dict[str, Any] = {
    "data.train_files": "/data/chat/train.parquet",
    "data.val_files": "/data/chat/test.parquet",
    "data.train_batch_size": 64,
    "data.max_length": 2048,
    "model.path": "base/model",
    "optim.lr": 2e-5,
    "trainer.total_epochs": 2,
    "trainer.save_freq": 10,
    "trainer.test_freq": 5,
    "trainer.nnodes": 1,
    "trainer.n_gpus_per_node": 8,
}
STATIC = {"data.use_dynamic_bsz": False, "data.micro_batch_size_per_gpu": 2}
LORA = {"model.lora_rank": 16, "model.lora_alpha": 32}
RESUMED = {"trainer.resume_mode": "resume_path", "trainer.resume_from_path": "/ckpt/global_step_20"}
MEGATRON = {"engine.strategy": "megatron", "engine.tensor_model_parallel_size": 2}
SFT = (
    Base("fsdp", SAMPLES, "fsdp"),
    Base("static micro-batches", SAMPLES | STATIC, "fsdp"),
    Base("cosine", SAMPLES | {"optim.lr_scheduler_type": "cosine"}, "fsdp"),
    Base("lora", SAMPLES | LORA, "fsdp"),
    Base("resumed", SAMPLES | RESUMED, "fsdp"),
    Base("megatron", SAMPLES | MEGATRON, "megatron"),
    Base("megatron, static micro-batches", SAMPLES | MEGATRON | STATIC, "megatron"),
    Base("megatron, decaying", SAMPLES | MEGATRON | {"optim.lr_decay_style": "cosine"}, "megatron"),
    Base("megatron, lora", SAMPLES | MEGATRON | {"model.lora.rank": 16}, "megatron"),
    Base("megatron, resumed", SAMPLES | MEGATRON | RESUMED, "megatron"),
)
