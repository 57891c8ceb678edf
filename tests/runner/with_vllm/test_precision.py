"""Weights kept and learned in 32 bits, computed with in 16, as veRL does unless it is told otherwise."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.consistency_checks import PARITY_MAX

from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, without_times

pytestmark = pytest.mark.filterwarnings("default")
KEYS = {
    "actor_rollout_ref__actor__fsdp_config__dtype": "bfloat16",
    "actor_rollout_ref__rollout__dtype": "bfloat16",
    "actor_rollout_ref__actor__use_kl_loss": "True",
    "trainer__total_training_steps": "6",
    "trainer__save_freq": "3",
}


def test_it_learns_in_32_bits_and_computes_in_16(demo: Path) -> None:
    file, folder = planned(demo, "mixed", **KEYS), demo / "mixed"
    whole = session.run(file, folder)
    assert whole[-1]["reward"] > whole[0]["reward"] + 0.03  # four standard errors of 2,048 tokens
    assert max(entry["parity"] for entry in whole) <= PARITY_MAX["bfloat16"]
    assert max(entry["parity"] for entry in whole) > PARITY_MAX["float32"]
    saved = weights(folder / "step-000006")
    assert {tensor.dtype for tensor in saved.values()} == {torch.float32}
    # what a step of 16 bits could not have made
    assert [name for name, tensor in saved.items() if torch.equal(tensor, tensor.bfloat16().float())] == []
    shutil.copytree(folder, demo / "mixed_resumed")
    shutil.rmtree(demo / "mixed_resumed" / "step-000006")
    assert without_times(session.run(file, demo / "mixed_resumed", resume=True)) == without_times(whole)


def test_gradients_are_added_up_in_the_type_that_the_plan_has(demo: Path) -> None:
    """Two ranks add gradients up in 16 bits: the norm is near that of 32 bits, and not the same."""
    two = {**KEYS, "trainer__n_gpus_per_node": "2", "trainer__total_training_steps": "1"}
    fewer = {"+actor_rollout_ref__actor__fsdp_config__mixed_precision__reduce_dtype": "bf16"}
    (plain,) = session.run(planned(demo, "added_32", **two), demo / "added_32")
    (short,) = session.run(planned(demo, "added_16", **two, **fewer), demo / "added_16")
    assert short["gradient_norm"] == pytest.approx(plain["gradient_norm"], rel=1e-2)
    assert short["gradient_norm"] != plain["gradient_norm"]


def test_a_critic_does_so_too(demo: Path) -> None:
    changes = {
        **KEYS,
        "algorithm__adv_estimator": "gae",
        "critic__model__path": str(demo / "model"),
        "critic__fsdp__use_dynamic_bsz": "False",
        "critic__fsdp__micro_batch_size_per_gpu": "64",
        "critic__fsdp__infer_micro_batch_size_per_gpu": "64",
        "trainer__total_training_steps": "2",
        "trainer__save_freq": "2",
    }
    file, folder = planned(demo, "mixed_critic", **changes), demo / "mixed_critic"
    session.run(file, folder)
    saved = weights(folder / "step-000002" / "critic")
    assert {tensor.dtype for tensor in saved.values()} == {torch.float32}
    assert not torch.equal(saved["score.weight"], saved["score.weight"].bfloat16().float())


def weights(folder: Path) -> dict[str, torch.Tensor]:
    values: dict[str, torch.Tensor] = pytest.importorskip("safetensors.torch").load_file(folder / "model.safetensors")
    return values
