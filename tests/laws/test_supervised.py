"""The laws of whole configs for runs without rollouts: every key that a row speaks for is flipped, there and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from rftconf.base.errors import RftconfError
from rftconf.mappers.rows import natives_of
from rftconf.mappers.tables import table_of
from rftconf.schemas import catalogue, registry
from tests.laws.flip_values import candidates
from tests.laws.round_trips import Trip, travel

BASES: dict[str, dict[str, Any]] = {
    "verl_sft": {
        "data.train_files": "/data/chat/train.parquet",
        "data.train_batch_size": 64,
        "data.max_length": 2048,
        "model.path": "/models/m",
        "optim.lr": 2e-5,
        "optim.lr_scheduler_type": "cosine",
        "trainer.total_epochs": 2,
        "trainer.save_freq": 10,
        "trainer.nnodes": 1,
        "trainer.n_gpus_per_node": 8,
    },
    "verl_fsdp_sft": {
        "data.train_files": "/data/chat/train.parquet",
        "data.val_files": "/data/chat/test.parquet",
        "data.train_batch_size": 64,
        "model.partial_pretrain": "/models/m",
        "trainer.total_epochs": 2,
        "trainer.save_freq": 10,
        "trainer.n_gpus_per_node": 8,
    },
    "trinity": {
        "mode": "train",
        "project": "p",
        "name": "n",
        "checkpoint_root_dir": "/ckpt",
        "algorithm.algorithm_type": "sft",
        "algorithm.optimizer.lr": 2e-5,
        "buffer.train_batch_size": 64,
        "buffer.total_epochs": 2,
        "buffer.trainer_input.experience_buffer.path": "/data/chat",
        "buffer.trainer_input.experience_buffer.storage_type": "file",
        "buffer.trainer_input.experience_buffer.format.prompt_type": "messages",
        "model.model_path": "/models/m",
        "model.max_model_len": 2048,
        "cluster.node_num": 1,
        "cluster.gpu_per_node": 8,
        "trainer.save_interval": 10,
    },
    "trinity_dpo": {
        "mode": "train",
        "project": "p",
        "name": "n",
        "checkpoint_root_dir": "/ckpt",
        "algorithm.algorithm_type": "dpo",
        "algorithm.optimizer.lr": 1e-6,
        "buffer.train_batch_size": 64,
        "buffer.total_epochs": 2,
        "buffer.trainer_input.experience_buffer.path": "/data/pairs/train.jsonl",
        "buffer.trainer_input.experience_buffer.format.prompt_type": "plaintext",
        "buffer.trainer_input.experience_buffer.format.prompt_key": "instruction",
        "model.model_path": "/models/m",
        "model.max_model_len": 2048,
        "cluster.node_num": 1,
        "cluster.gpu_per_node": 8,
        "trainer.save_interval": 10,
        "trainer.total_steps": 100,
        "trainer.use_dynamic_bsz": False,
        "trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": 2,
    },
    "roll_sft": {
        "exp_name": "n",
        "save_steps": 10,
        "eval_steps": 20,
        "sequence_length": 2048,
        "pretrain": "/models/m",
        "prompt_key": "question",
        "response_key": "answer",
        "validation.data_args.file_name": "/data/chat/test.jsonl",
        "sft_train.data_args.file_name": "/data/chat/train.jsonl",
        "sft_train.training_args.learning_rate": 2e-5,
        "sft_train.training_args.per_device_train_batch_size": 2,
        "sft_train.training_args.gradient_accumulation_steps": 4,
        "sft_train.training_args.num_train_epochs": 2,
        "sft_train.training_args.lr_scheduler_type": "cosine",
        "sft_train.strategy_args.strategy_name": "fsdp2_train",
        "sft_train.device_mapping": "list(range(0,8))",
    },
    "roll_dpo": {
        "exp_name": "n",
        "max_steps": 400,
        "save_steps": 10,
        "eval_steps": 20,
        "sequence_length": 2048,
        "pretrain": "/models/m",
        "chosen_key": "better",
        "validation.data_args.file_name": "/data/pairs/test.jsonl",
        "actor_train.data_args.file_name": ["/data/pairs/train.jsonl"],
        "actor_train.training_args.learning_rate": 1e-6,
        "actor_train.training_args.per_device_train_batch_size": 2,
        "actor_train.training_args.gradient_accumulation_steps": 4,
        "actor_train.training_args.num_train_epochs": 2,
        "actor_train.training_args.lr_scheduler_type": "constant_with_warmup",
        "actor_train.training_args.warmup_steps": 20,
        "actor_train.strategy_args.strategy_name": "fsdp2_train",
        "actor_train.device_mapping": "list(range(0,8))",
        "reference.strategy_args.strategy_name": "fsdp2_infer",
        "reference.device_mapping": "list(range(0,8))",
    },
}
BASES["verl_sft_megatron"] = {
    **{key: value for key, value in BASES["verl_sft"].items() if key != "optim.lr_scheduler_type"},
    "engine.strategy": "megatron",
    "engine.tensor_model_parallel_size": 2,
    "optim.lr_decay_style": "cosine",
}
BASES["roll_sft_megatron"] = {
    **BASES["roll_sft"],
    "sft_train.strategy_args.strategy_name": "megatron_train",
    "sft_train.strategy_args.strategy_config.tensor_model_parallel_size": 2,
}
KINDS = {"trinity_dpo": ("trinity", "dpo"), "roll_sft": ("roll", "sft"), "roll_dpo": ("roll", "dpo"),
         "verl_sft_megatron": ("verl_sft", "sft"), "roll_sft_megatron": ("roll", "sft")}  # fmt: skip
"""Bases that are not named by their program: the framework, and the kind of run."""
LEADING = {"mode", "algorithm.algorithm_type", "engine.strategy", "trainer.trainer_strategy", "model.strategy",
           *(f"{role}.strategy_args.strategy_name" for role in ("sft_train", "actor_train", "reference"))}  # fmt: skip
"""Keys that make another kind of run of the base, or one for another engine."""
WAYS = [
    ("roll_sft", "roll"),
    ("roll_sft", "trinity"),
    ("roll_sft", "verl_sft"),
    ("verl_sft", "roll"),
    ("trinity", "roll"),
    ("roll_dpo", "roll"),
    ("roll_dpo", "trinity"),
    ("trinity_dpo", "trinity"),
    ("trinity_dpo", "roll"),
    ("verl_sft", "verl_sft"),
    ("verl_sft", "trinity"),
    ("verl_sft_megatron", "verl_sft"),
    ("verl_sft_megatron", "trinity"),
    ("verl_sft_megatron", "roll"),
    ("roll_sft_megatron", "verl_sft"),
    ("verl_fsdp_sft", "verl_fsdp_sft"),
    ("verl_fsdp_sft", "trinity"),
    ("trinity", "trinity"),
    ("trinity", "verl_sft"),
]


def program(base: str) -> tuple[str, str]:
    """Framework and kind of run of a base."""
    return KINDS.get(base, (base, "sft"))


def trainer(base: str) -> str:
    """The trainer, which is the pipeline where each kind has one of its own."""
    framework, kind = program(base)
    known = registry.framework(framework)
    if framework == "verl_sft":
        return base.removeprefix("verl_sft_") if base != "verl_sft" else known.trainer
    return known.trainer_of_kind.get(kind, known.trainer)


def flips(base: str) -> Iterator[tuple[str, Any]]:
    """Each key with a row and each legal value unlike the base's."""
    framework, kind = program(base)
    known = catalogue.load(framework, None, trainer(base))
    natives = {native for row in table_of(framework, kind).rows for native in natives_of(row)}
    for name in sorted(n for n in natives if "[]" not in n and "*" not in n and n not in LEADING):
        key = known.get(name)
        for value in candidates(name, key, BASES[base].get(name)) if key is not None else ():
            if value != "other" or key is None or key.type.split("|")[0] == "str":
                yield name, value


def trip(base: str, to: str, more: Mapping[str, Any]) -> Trip | None:
    try:
        return travel(program(base)[0], to, {**BASES[base], **more}, trainer(base))
    except RftconfError:
        return None


@pytest.mark.parametrize(("base", "to"), WAYS)
def test_what_is_said_to_be_kept_is_kept(base: str, to: str) -> None:
    broken, done = {}, 0
    for name, value in flips(base):
        new_trip = trip(base, to, {name: value})
        done += new_trip is not None
        values = (
            {} if new_trip is None else new_trip.differences() if program(base)[0] == to else new_trip.broken_claims()
        )
        broken.update({(name, str(value), path): what for path, what in values.items()})
    assert done > 40
    assert broken == {}
