"""Weights kept and learned in 32 bits, computed with in 16, as veRL does unless it is told otherwise."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.consistency_checks import PARITY_MAX
from rftconf_runner.framework_words import OF_SCALED, SCALED

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


def test_in_sixteen_bits_with_a_short_exponent_the_loss_is_scaled(demo: Path) -> None:
    """Megatron's float16: without a scale gradients of this size are lost, and with it the norm is that of 32 bits."""
    short = {name: value.replace("bfloat16", "float16") for name, value in KEYS.items()} | {
        "actor_rollout_ref__actor__use_kl_loss": "False",
        "trainer__total_training_steps": "2",
        "trainer__save_freq": "2",
    }
    wide = {**short, **{name: "float32" for name, value in short.items() if value == "float16"}}
    half = session.run(scaled(planned(demo, "half", **short)), demo / "half")
    full = session.run(planned(demo, "full", **wide), demo / "full")
    assert half[0]["gradient_norm"] == pytest.approx(full[0]["gradient_norm"], rel=2e-2)
    assert max(entry["parity"] for entry in half) <= PARITY_MAX["float16"]
    saved = weights(demo / "half" / "step-000002")
    assert {tensor.dtype for tensor in saved.values()} == {torch.float32}
    assert [name for name, tensor in saved.items() if torch.equal(tensor, tensor.half().float())] == []


def scaled(file: Path) -> Path:
    """The plan with the word that a placement leaves of Megatron's trainer in float16."""
    plan = json.loads(file.read_text())
    plan["extensions"].setdefault(OF_SCALED, {})[SCALED] = True
    file.write_text(json.dumps(plan))
    return file


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
