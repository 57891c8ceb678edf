"""TRL's bases: small GRPO configs of our own in which, between them, every key that acts has something to act on."""

from __future__ import annotations

from typing import Any

from tests.laws.flip_base import Base

GRPO: dict[str, Any] = {
    "model_name_or_path": "base/model",
    "dataset_name": "org/rows",
    "output_dir": "/out",
    "run_name": "first",
    "num_processes": 8,
    "num_machines": 1,
    "per_device_train_batch_size": 8,
    "gradient_accumulation_steps": 2,
    "steps_per_generation": 4,
    "num_generations": 8,
    "max_completion_length": 1024,
    "max_steps": 100,
    "warmup_steps": 10,
    "lr_scheduler_type": "cosine",
    "eval_strategy": "steps",
    "eval_steps": 10,
    "beta": 0.01,
    "loss_type": "grpo",
    "use_vllm": True,
    "vllm_mode": "colocate",
}
WITHOUT = {"steps_per_generation": None, "use_vllm": False}
TRL = (
    Base("grpo", GRPO),
    Base("epochs", GRPO | {"max_steps": -1, "num_train_epochs": 2.0}),
    Base("a generation in completions", GRPO | {"steps_per_generation": None, "generation_batch_size": 256}),
    Base("floor", GRPO | {"lr_scheduler_type": "cosine_with_min_lr", "lr_scheduler_kwargs": {"min_lr_rate": 0.1}}),
    Base("no warm-up", GRPO | {"warmup_steps": 0}),
    Base("sapo", GRPO | {"loss_type": "sapo"}, since="0.26.2"),
    Base("cispo", GRPO | {"loss_type": "cispo", "epsilon_high": 5.0}, since="0.26.2"),
    Base("lora", GRPO | {"use_peft": True, "lora_r": 32, "lora_alpha": 32}),
    Base("server", GRPO | {"vllm_mode": "server"}),
    Base("the trainer generates", GRPO | WITHOUT),
    Base("sharded", GRPO | {"distributed_type": "FSDP", "fsdp_version": 2}),
    Base("mixture", GRPO | {"datasets[0].path": "org/first", "datasets[1].path": "org/second"}, since="0.22.2"),
    Base("single precision", GRPO | {"bf16": False}),
)
