"""Low-rank adapters: what is merged, kept, learned and handed over."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
pytest.importorskip("peft", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner.adapters import Adapters
from rftconf_runner.job import Lora
from rftconf_runner.refusals import refusals

from tests.runner.test_job import plan
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, without_times

pytestmark = pytest.mark.filterwarnings("default")
LORA = Lora(4, 8, "all-linear", "", "", 7)
KEYS = {
    "actor_rollout_ref__model__lora_rank": "8",
    "actor_rollout_ref__model__lora_alpha": "32",
    "actor_rollout_ref__actor__optim__lr": "2e-2",
    "actor_rollout_ref__actor__use_kl_loss": "True",
    "actor_rollout_ref__ref__fsdp_config__dtype": "float32",
    "trainer__total_training_steps": "6",
    "trainer__save_freq": "3",
}


def loaded(demo: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(demo / "model", dtype=torch.float32)


def filled(demo: Path) -> tuple[Any, Adapters]:
    """A model with adapters that say something."""
    model = loaded(demo)
    adapters = Adapters(model, LORA, None)
    torch.manual_seed(1)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    return model, adapters


def test_merged_weights_are_pefts_own(demo: Path) -> None:
    model, adapters = filled(demo)
    plain = dict(loaded(demo).state_dict())
    values = dict(adapters.merged(list(model.state_dict().items())))
    merged = adapters.peft.merge_and_unload().state_dict()
    assert list(values) == list(plain)
    assert all(torch.equal(values[name], merged[name]) for name in plain)
    moved = {name.split(".")[-2] for name in plain if not torch.equal(values[name], plain[name])}
    assert moved == {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}


def test_new_adapters_are_the_base_and_alone_are_learned(demo: Path) -> None:
    model = loaded(demo)
    plain, adapters = {name: t.clone() for name, t in model.state_dict().items()}, Adapters(model, LORA, None)
    assert all(torch.equal(t, plain[name]) for name, t in adapters.merged(list(model.state_dict().items())))
    assert {name.split(".")[-3] for name, p in model.named_parameters() if p.requires_grad} == {"lora_A", "lora_B"}


def test_what_is_kept_is_read_back_and_by_peft_too(demo: Path, tmp_path: Path) -> None:
    from peft import PeftModel

    model, adapters = filled(demo)
    weights = list(model.state_dict().items())
    adapters.save(str(tmp_path), weights)
    again = loaded(demo)
    back = Adapters(again, LORA, str(tmp_path))
    expected = adapters.merged(weights)
    problems = back.merged(list(again.state_dict().items()))
    assert [
        name for (name, first), (_, second) in zip(expected, problems, strict=True) if not torch.equal(first, second)
    ] == []
    theirs = PeftModel.from_pretrained(loaded(demo), tmp_path / "adapter").merge_and_unload().state_dict()
    assert all(torch.equal(theirs[name], tensor) for name, tensor in expected)


def test_an_adapter_that_is_there_says_its_rank_itself(demo: Path, tmp_path: Path) -> None:
    model, adapters = filled(demo)
    weights = list(model.state_dict().items())
    adapters.save(str(tmp_path), weights)
    again = loaded(demo)
    back = Adapters(again, Lora(0, 0, "", "", str(tmp_path / "adapter"), 0), None)
    pairs = zip(adapters.merged(weights), back.merged(list(again.state_dict().items())), strict=True)
    assert all(torch.equal(first, second) for (_, first), (_, second) in pairs)


def test_an_embedding_is_no_target(demo: Path) -> None:
    with pytest.raises(ValueError, match=r"lora.targets: model\.embed_tokens is no linear layer"):
        Adapters(loaded(demo), Lora(4, 8, ("q_proj", "embed_tokens"), "", "", 0), None)


def test_adapters_of_another_type_are_refused() -> None:
    new_plan = plan(actor_rollout_ref__model__lora_rank="8")
    assert refusals(new_plan) == []
    new_plan.stages[0].model_options.lora.dtype = "bfloat16"
    assert [refused.path for refused in refusals(new_plan)] == ["stage.model_options.lora.dtype"]


@pytest.fixture(scope="module")
def whole(demo: Path) -> list[dict[str, Any]]:
    return session.run(planned(demo, "lora", **KEYS), demo / "lora")


def test_it_learns_through_every_gate_and_goes_on_bit_for_bit(demo: Path, whole: list[dict[str, Any]]) -> None:
    """The reference is the model without adapters: it is there from the first period on."""
    file, folder = demo / "lora.json", demo / "lora"
    assert whole[-1]["reward"] > whole[0]["reward"] + 0.03  # four standard errors of 2,048 tokens
    assert max(entry["parity"] for entry in whole) <= 1e-5
    saved = json.loads((folder / "step-000006" / "adapter" / "adapter_config.json").read_text())
    assert (saved["r"], saved["lora_alpha"]) == (8, 32)
    assert loaded_names(folder / "step-000006") == list(loaded(demo).state_dict())
    shutil.copytree(folder, demo / "lora_resumed")
    shutil.rmtree(demo / "lora_resumed" / "step-000006")
    assert without_times(session.run(file, demo / "lora_resumed", resume=True)) == without_times(whole)


def loaded_names(folder: Path) -> list[str]:
    from transformers import AutoModelForCausalLM

    model, report = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    return list(model.state_dict())


def test_ranks_change_nothing(demo: Path, whole: list[dict[str, Any]]) -> None:
    short = {**KEYS, "trainer__total_training_steps": "2", "trainer__save_freq": "-1"}
    two = session.run(planned(demo, "lora_two", **short, trainer__n_gpus_per_node="2"), demo / "lora_two")[0]
    assert two["reward"] == whole[0]["reward"]
    assert two["gradient_norm"] == pytest.approx(whole[0]["gradient_norm"], rel=1e-4)
