"""The hazard of supervised runs (H70) between veRL's two programs and Trinity-RFT, both ways, with its numbers."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.schemas import catalogue
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import Done, picked

FSDP_SFT = "torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer"
SFT = "python3 -m verl.trainer.sft_trainer_ray"
OPTIM = ("lr", "betas", "lr_scheduler_type", "lr_warmup_steps")


@pytest.mark.parametrize(
    ("program", "expected"),
    [(FSDP_SFT, [1e-5, [0.9, 0.95], "cosine", 10]), (SFT, [1e-3, [0.9, 0.999], "constant", -1])],
)
def test_h70_a_supervised_run_without_an_optimizer_block(program: str, expected: list[object]) -> None:
    """1e-5, a cosine and a warm-up of a tenth up to 0.7.0; 1e-3, constant and none since (-1: not set)."""
    text = f"{program} data.train_batch_size=64 data.train_files=/d/t.parquet trainer.total_training_steps=100"
    done = Done(convert(read(Source("run.sh", text)), "trinity"))
    defaults = catalogue.load("trinity", "0.6.0").keys
    keys = [f"algorithm.optimizer.{key}" for key in OPTIM]
    assert [done.out.get(key, defaults[key].default) for key in keys] == expected


@pytest.mark.parametrize(("to", "schedule"), [("0.9.1", ["constant", None]), ("0.7.1", ["constant", None]), ("0.5.0", [None, "???"])])  # fmt: skip
def test_h70_the_optimizer_is_spelt_out(to: str, schedule: list[str | None]) -> None:
    text = (
        "{mode: train, model: {model_path: /m, max_model_len: 2048}, cluster: {node_num: 1, gpu_per_node: 8}, "
        "algorithm: {algorithm_type: sft}, buffer: {train_batch_size: 128, trainer_input: {experience_buffer: "
        "{path: /d, split: train}}}}"
    )
    done = Done(convert(read(Source("run.yaml", text)), "verl", to_release=to))
    assert picked(done.out, "optim.lr", "optim.betas", "optim.clip_grad") == [1e-6, [0.9, 0.999], 1.0]
    assert picked(done.out, "optim.lr_scheduler_type", "optim.lr_scheduler") == schedule
    # the old program knows cosine and wsd only, and says so; its warm-up of a tenth is taken off
    assert ("the target has no constant" in done.notes) is (to == "0.5.0")
    assert done.out.get("optim.warmup_steps_ratio") == (0.0 if to == "0.5.0" else None)
