"""Who is said to execute what the runner refuses: written into that framework's config, the value is there again."""

from __future__ import annotations

from typing import Any

import pytest
from rftconf_runner.executing_frameworks import EXECUTED_BY
from rftconf_runner.refusals import refusals

from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.runner.test_job import KEYS
from tests.sources import ROOT

FOUR_GPUS = {"trainer.n_gpus_per_node": "4", "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": "16"}
CHANGES: dict[tuple[str, str], dict[str, str | None]] = {
    ("placement.actor.backend", "megatron"): {
        "actor_rollout_ref.actor.strategy": "megatron",
        "actor_rollout_ref.actor.fsdp_config.dtype": None,
    },
    ("placement.rollout.engine", "sglang"): {"actor_rollout_ref.rollout.name": "sglang"},
}
NAMES = {"veRL": "verl", "Trinity-RFT": "trinity", "ROLL": "roll", "ChatLearn": "chatlearn"}


def script(changes: dict[str, str | None]) -> Any:
    words = " ".join(f'"{key}={value}"' for key, value in {**KEYS, **changes}.items() if value is not None)
    return read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {words}\n"))


def held(plan: Plan, path: str) -> Any:
    result: Any = plan.stages[0]
    for name in path.split("."):
        result = getattr(result, name)
    return len(result) if isinstance(result, list) else result


@pytest.mark.parametrize("case", CHANGES)
def test_who_could(case: tuple[str, str]) -> None:
    document, message = script(CHANGES[case]), EXECUTED_BY[case]
    plan = load(document, release="0.9.1").plan
    (refused,) = [refusal for refusal in refusals(plan) if refusal.path == f"stage.{case[0]}"]
    assert refused.why.endswith(f"({message} could)")
    messages = {NAMES[name] for name in NAMES if name in message}
    does = {"verl"}
    for name in ("trinity", "roll", "chatlearn"):
        text = convert(document, name, release="0.9.1").text
        back = load(read(Source("run.sh" if text.startswith("#!") else "config.yaml", text)), framework=name).plan
        if held(back, case[0]) == held(plan, case[0]):
            does.add(name)
    assert does == messages


def test_who_generates_and_trains_without_waiting() -> None:
    text = "mode: both\nalgorithm:\n  algorithm_type: grpo\nsynchronizer:\n  sync_style: fully_async\n"
    text += "buffer:\n  explorer_input:\n    taskset:\n      path: /d\n"
    plan = load(read(Source("config.yaml", text)), framework="trinity").plan
    assert plan.stages[0].sync.driver == "free"
    names = {refusal.path: refusal.why for refusal in refusals(plan)}
    assert names["stage.sync.driver"] == (
        "is 'free'; the runner executes lockstep (Trinity-RFT, and veRL's fully asynchronous trainer could)"
    )
    document = read(Source("run.sh", (ROOT / "golden/convert/fully-async/input.sh").read_text()))
    assert load(document).plan.stages[0].sync.driver == "free"


def test_every_entry_has_been_tried() -> None:
    assert {case for case in EXECUTED_BY if case[0] != "sync.driver"} == set(CHANGES)
