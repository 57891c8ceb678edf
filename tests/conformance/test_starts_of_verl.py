"""veRL's start judge: what its workers build before the first step is built, and what stops them there stops the judge."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.conformance.environment import VERL_TARGETS, Target
from tests.conformance.judging import Bench
from tests.conformance.samples import VERL_GOOD

ACTOR, MODEL = "actor_rollout_ref.actor", "actor_rollout_ref.model"
STARTED = [target for target in VERL_TARGETS if target.release in ("0.7.1", "0.9.1")]
"""The last release with workers of its own for each back end, and the newest, which has engines."""
ADAPTER = {f"{MODEL}.lora_rank": "8", f"{MODEL}.target_modules": "[q_proj,v_proj]"}


@dataclass(frozen=True, slots=True)
class Break:
    """A change to one of the good configs that Hydra and the dataclasses take: where and with what words veRL stops."""

    case: str
    change: dict[str, str]
    stage: str
    says: str


BREAKS = {
    "a key that nothing reads": Break("grpo", {"+trainer.nobody_reads_this": "1"}, "reads", "nobody_reads_this"),
    "an adapter on layers that the model lacks": Break(
        "grpo", ADAPTER | {f"{MODEL}.target_modules": "[no_such_proj]"}, "worker", "no_such_proj"
    ),
    "an optimizer that PyTorch lacks": Break("grpo", {f"{ACTOR}.optim.optimizer": "NoSuch"}, "worker", "NoSuch"),
    "an argument that the optimizer lacks": Break(
        "grpo", {f"+{ACTOR}.optim.override_optimizer_config": "{no_such: 1}"}, "worker", "no_such"
    ),
    "a field that no model's config has": Break(
        "grpo", {f"+{MODEL}.override_config.no_such_field": "1"}, "worker", "no_such_field"
    ),
    "an argument that the engine lacks": Break(
        "grpo", {"+actor_rollout_ref.rollout.engine_kwargs.vllm.no_such_argument": "1"}, "names", "no_such_argument"
    ),
    "a field that Megatron's model lacks": Break(
        "megatron", {f"+{ACTOR}.megatron.override_transformer_config.no_such_field": "1"}, "worker", "no_such_field"
    ),
    "a field that Megatron's gradients lack": Break(
        "megatron", {f"+{ACTOR}.megatron.override_ddp_config.no_such_field": "1"}, "worker", "no_such_field"
    ),
    "a warmup longer than the run": Break(
        "megatron", {"trainer.total_training_steps": "10", f"{ACTOR}.optim.lr_warmup_steps": "20"}, "worker", ""
    ),
}


def overrides(config: dict[str, str]) -> list[str]:
    return [f"{key}={value}" for key, value in config.items()]


@pytest.mark.parametrize("target", STARTED, ids=str)
def test_an_adapter_starts(bench: Bench, target: Target) -> None:
    verdict = bench.ask(target, {"overrides": overrides(VERL_GOOD["grpo"] | ADAPTER), "starts": True})
    assert verdict.ok, str(verdict)
    assert not [note for note in verdict.notes if "not built" in note]


@pytest.mark.parametrize("target", STARTED, ids=str)
@pytest.mark.parametrize("name", BREAKS)
def test_what_stops_the_workers_stops_the_judge(bench: Bench, target: Target, name: str) -> None:
    mutation = BREAKS[name]
    verdict = bench.ask(target, {"overrides": overrides(VERL_GOOD[mutation.case] | mutation.change), "starts": True})
    assert (verdict.ok, verdict.stage) == (False, mutation.stage), str(verdict)
    assert mutation.says in verdict.error


@pytest.mark.parametrize("target", STARTED, ids=str)
def test_half_precision_under_megatron_starts(bench: Bench, target: Target) -> None:
    """veRL asks Megatron for the precision-aware optimizer there (utils/megatron/optimizer.py), which is TransformerEngine's."""
    half = {f"{ACTOR}.megatron.dtype": "float16"}
    verdict = bench.ask(target, {"overrides": overrides(VERL_GOOD["megatron"] | half), "starts": True})
    assert verdict.ok, str(verdict)
