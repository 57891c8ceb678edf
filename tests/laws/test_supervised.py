"""The laws of whole configs for supervised runs: every key that a row speaks for is flipped, there and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from rftconf.errors import RftconfError
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
}
LEADING = {"mode", "algorithm.algorithm_type", "engine.strategy", "trainer.trainer_strategy", "model.strategy"}
"""Keys that make another kind of run of the base, or one for another engine."""
WAYS = [
    ("verl_sft", "verl_sft"),
    ("verl_sft", "trinity"),
    ("verl_fsdp_sft", "verl_fsdp_sft"),
    ("verl_fsdp_sft", "trinity"),
    ("trinity", "trinity"),
    ("trinity", "verl_sft"),
]


def flips(framework: str) -> Iterator[tuple[str, Any]]:
    """Each key with a row and each legal value unlike the base's."""
    known = catalogue.load(framework)
    natives = {native for row in table_of(framework, "sft").rows for native in natives_of(row)}
    for name in sorted(n for n in natives if "[]" not in n and "*" not in n and n not in LEADING):
        key = known.get(name)
        for value in candidates(name, key, BASES[framework].get(name)) if key is not None else ():
            if value != "other" or key is None or key.type.split("|")[0] == "str":
                yield name, value


def trip(framework: str, to: str, more: Mapping[str, Any]) -> Trip | None:
    try:
        return travel(framework, to, {**BASES[framework], **more}, registry.framework(framework).trainer)
    except RftconfError:
        return None


@pytest.mark.parametrize(("framework", "to"), WAYS)
def test_what_is_said_to_be_kept_is_kept(framework: str, to: str) -> None:
    broken, done = {}, 0
    for name, value in flips(framework):
        made = trip(framework, to, {name: value})
        done += made is not None
        found = {} if made is None else made.differences() if framework == to else made.broken_claims()
        broken.update({(name, str(value), path): what for path, what in found.items()})
    assert done > 40
    assert broken == {}
