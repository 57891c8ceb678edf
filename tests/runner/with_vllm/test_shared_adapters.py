"""Adapters as Megatron has them: layers that are one there share the down projection."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
pytest.importorskip("peft", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner import sharded
from rftconf_runner.adapters import Adapters
from rftconf_runner.job import Lora, Offload
from rftconf_runner.ledger import faults

from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, without_times
from tests.runner.with_vllm.test_lora import loaded

pytestmark = pytest.mark.filterwarnings("default")
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
KEYS = {
    "actor_rollout_ref__model__lora_rank": "4", "actor_rollout_ref__model__lora_alpha": "8", "trainer__total_training_steps": "2",
    "trainer__save_freq": "1", "actor_rollout_ref__model__target_modules": "[linear_qkv,linear_proj,linear_fc1,linear_fc2]",
    "+actor_rollout_ref__model__lora__lora_A_init_method": "kaiming",
}  # fmt: skip


def test_one_linear_layer_of_megatrons_is_what_several_are(demo: Path) -> None:
    """An adapter to a fused layer adds up @ down, of which each part's rows of `up` are its own."""
    model = loaded(demo)
    Adapters(model, Lora(4, 8, TARGETS, "", "", 7, shared=True), None)
    attention = model.model.layers[0].self_attn
    downs = [
        layer.lora_A["default"].weight
        for layer in (attention.q_proj, attention.k_proj, attention.v_proj, attention.o_proj)
    ]
    assert downs[0] is downs[1] is downs[2]
    assert downs[3] is not downs[0]
    parts = (attention.q_proj, attention.k_proj, attention.v_proj)
    for part in parts:
        torch.nn.init.normal_(part.lora_B["default"].weight)
    read = torch.randn(5, downs[0].shape[1])
    whole = torch.cat([part(read) for part in parts], -1)
    bases = torch.cat([part.base_layer(read) for part in parts], -1)
    up = torch.cat([part.lora_B["default"].weight for part in parts])
    torch.testing.assert_close(whole, bases + read @ downs[0].T @ up.T * 2)
    learned = [name for name, parameter in model.named_parameters() if parameter.requires_grad and "layers.0." in name]
    assert len(learned) == 4 + 7


def gradients(model: Any) -> dict[str, torch.Tensor]:
    """Return the gradients of every adapter's weights, after three passes whose losses are added up."""
    for start in (0, 8, 16):
        ids = torch.arange(start, start + 8).view(1, 8)
        model(ids, labels=ids).loss.backward()
    parameters = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    return {name: sharded.whole(parameter.grad).clone() for name, parameter in parameters.items()}


def test_a_shared_projections_gradient_is_the_sum_over_its_layers(demo: Path, alone: None) -> None:
    def model() -> Any:
        own = loaded(demo)
        Adapters(own, Lora(4, 8, TARGETS, "", "", 7, shared=True), None)
        torch.manual_seed(1)
        for name, parameter in own.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(parameter, std=0.1)
        return own

    mesh = torch.distributed.init_device_mesh("cpu", (1,))
    wrapped = sharded.shard(model(), mesh, "float32", checkpointing=False, offload=Offload())
    plain, divided = gradients(model()), gradients(wrapped)
    assert [*plain] == [*divided]
    for name, gradient in plain.items():
        torch.testing.assert_close(divided[name], gradient, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("ranks", ["1", "2"])
def test_a_run_and_its_resumption(demo: Path, ranks: str) -> None:
    plan = planned(demo, f"shared{ranks}", **KEYS, trainer__n_gpus_per_node=ranks)
    folder = demo / f"shared{ranks}"
    whole = session.run(plan, folder)
    assert faults([json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]) == []
    shutil.copytree(folder, demo / f"again{ranks}")
    shutil.rmtree(demo / f"again{ranks}" / "step-000002")
    again = session.run(plan, demo / f"again{ranks}", resume=True)
    assert without_times(again) == without_times(whole)
