"""Rows come from the footers of parquet files that are there, or from nowhere."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from rftconf.convert.convert import convert
from rftconf.load.dataset_rows import count_rows
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes


def table(path: Path, rows: int) -> str:
    parquet.write_table(pa.table({"prompt": ["x"] * rows}), path)
    return str(path)


def test_footers_of_all_files_are_added(tmp_path: Path) -> None:
    assert count_rows([table(tmp_path / "a.parquet", 700), table(tmp_path / "b.parquet", 5)]) == 705


@pytest.mark.parametrize("second", ["openai/gsm8k", "/nowhere/train.parquet", "train.jsonl"])
def test_what_is_not_there_is_not_counted(tmp_path: Path, second: str) -> None:
    assert count_rows([table(tmp_path / "a.parquet", 7), second]) is None
    assert count_rows([]) is None


def test_a_broken_file_is_not_counted(tmp_path: Path) -> None:
    broken = tmp_path / "a.parquet"
    broken.write_bytes(b"PAR1 this is no footer")
    assert count_rows([str(broken)]) is None


def test_steps_follow_from_a_local_file(tmp_path: Path) -> None:
    file = table(tmp_path / "train.parquet", 1000)
    lines = [
        f"data.train_files={file}", "data.train_batch_size=64", "actor_rollout_ref.actor.ppo_mini_batch_size=32",
        "actor_rollout_ref.rollout.n=8", "actor_rollout_ref.rollout.tensor_model_parallel_size=1", "trainer.total_epochs=2",
        "algorithm.adv_estimator=grpo", "actor_rollout_ref.rollout.name=vllm", "actor_rollout_ref.model.path=m/m",
    ]  # fmt: skip
    done = convert(read(from_bytes("run.txt", "\n".join(lines).encode())), "trinity", framework="verl")
    steps = {line.key: line.value for line in done.ledger.targets}
    # floor(1000 / 64) = 15 periods an epoch, 2 epochs, 2 updates a period
    assert steps["trainer.total_steps"] == 60
    assert any("1000 training rows" in note for note in done.ledger.notes)


def test_the_limit_on_samples_counts(tmp_path: Path) -> None:
    file = table(tmp_path / "train.parquet", 1000)
    lines = [f"data.train_files={file}", "data.train_batch_size=64", "data.train_max_samples=128", "trainer.total_epochs=3",
             "actor_rollout_ref.actor.ppo_mini_batch_size=64", "actor_rollout_ref.rollout.name=vllm"]  # fmt: skip
    done = convert(read(from_bytes("run.txt", "\n".join(lines).encode())), "verl", framework="verl")
    assert done.loaded.stages[0].values["stage.run_length.rollouts"] == 6
