"""Adapters to Megatron's layers: which are executed, and as what."""

from __future__ import annotations

import pytest
from rftconf_runner.job_reader import job_of
from rftconf_runner.lora_reader import BEGINS, of_lora
from rftconf_runner.refusals import refusals

from rftconf.plan.model import Plan
from tests.runner.test_job import plan


def adapters(targets: str, begins: str = "") -> Plan:
    lora = {"actor_rollout_ref__model__lora_rank": "8", "actor_rollout_ref__model__target_modules": targets}
    of = plan(**lora)
    if begins:
        of.extensions.setdefault("verl", {})[BEGINS] = begins
    return of


@pytest.mark.parametrize(
    ("targets", "begins", "why"),
    [
        ("[linear_qkv,linear_proj]", "", "begin as the plan does not say"),
        ("[linear_qkv,linear_proj]", "xavier", "begin as the plan does not say"),
        ("[linear_proj]", "", "begin as the plan does not say"),
        ("[linear_qkv,o_proj]", "kaiming", "beside others"),
        ("[linear_qkv,linear_proj]", "kaiming", ""),
        ("[q_proj,o_proj]", "", ""),
        ("all-linear", "", ""),
    ],
)
def test_adapters_to_megatrons_layers(targets: str, begins: str, why: str) -> None:
    """veRL's Megatron begins them by xavier unless lora_A_init_method is another (workers/config/megatron_peft.py)."""
    refused = list(of_lora(adapters(targets, begins)))
    assert [why in reason for _, reason in refused] == [True] * bool(why)


def test_a_layer_of_megatrons_is_several_that_share() -> None:
    of = adapters("[linear_qkv,linear_fc2]", "kaiming")
    assert refusals(of) == []
    lora = job_of(of).lora
    assert lora is not None
    assert (lora.targets, lora.shared) == (("q_proj", "k_proj", "v_proj", "down_proj"), True)
    plain = job_of(adapters("[q_proj]")).lora
    assert plain is not None
    assert (plain.targets, plain.shared) == (("q_proj",), False)
