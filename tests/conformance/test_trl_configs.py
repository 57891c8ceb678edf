"""TRL's own parser judges what is read of its command lines and YAML: batches, slices, defaults of releases, refusals."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.load.load import load
from rftconf.mappers.trl.folds_loss import AVERAGES
from rftconf.schemas.registry import TRL
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.conformance.environment import folder, printed_by

RELEASES = [release for release in TRL.releases if (folder() / "releases" / f"trl-{release}").is_dir()]
DRAWN = 120
B, A = "stage.batch.", "stage.algorithm."
CHOICES: Mapping[str, tuple[Any, ...]] = {
    "per_device_train_batch_size": (1, 2, 4, 6, 8),
    "gradient_accumulation_steps": (1, 2, 3, 4, 8),
    "steps_per_generation": (None, None, None, 1, 2, 4, 6, 8),
    "generation_batch_size": (None, None, None, None, 32, 48, 64),
    "num_generations": (1, 2, 4, 8, 8, 16),
    "num_iterations": (None, 1, 1, 2),
    "learning_rate": (None, 2e-6),
    "beta": (None, 0.0, 0.02),
    "epsilon": (None, 0.1),
    "epsilon_high": (None, 0.28),
    "loss_type": (None, "grpo", "bnpo", "dr_grpo"),
    "max_completion_length": (None, 700),
    "use_vllm": (None, True, False),
    "vllm_mode": (None, "server", "colocate"),
    "shuffle_dataset": (None, False),
    "warmup_steps": (None, 7),
}
"""Key to values that a case may have; None leaves it out."""


def drawn(seed: int) -> dict[str, Any]:
    """A case: each key on the command line or in the YAML, for some number of processes."""
    chance = random.Random(seed)
    keys = {key: value for key, values in CHOICES.items() if (value := chance.choice(values)) is not None}
    below = {key for key in keys if chance.random() < 0.5}
    config = "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items() if key in below)
    words = [word for key, value in keys.items() if key not in below for word in _option(key, value, chance)]
    arguments = ["--use_cpu", "True", "--max_steps", "100", "--reward_funcs", "first", "second", *words]
    return {"processes": chance.choice((1, 2, 4, 8)), "arguments": arguments, "config": config or "seed: 1\n"}


def _option(key: str, value: Any, chance: random.Random) -> list[str]:
    if value is False and chance.random() < 0.5 and key == "shuffle_dataset":
        return [f"--no_{key}"]
    if value is True and chance.random() < 0.5:
        return [f"--{key}"]
    return [f"--{key}={value}"] if chance.random() < 0.5 else [f"--{key}", str(value)]


def plan(case: Mapping[str, Any], release: str) -> dict[str, Any]:
    """Read a case."""
    options = ReadOptions(sources={"config.yaml": case["config"]})
    words = " ".join(case["arguments"])
    text = f"accelerate launch --num_processes {case['processes']} -m trl.scripts.grpo --config config.yaml {words}\n"
    return load(read(Source("run.sh", text), options), framework="trl", release=release).stages[0].values


def plan_or_refusal(case: Mapping[str, Any], release: str) -> tuple[dict[str, Any], str]:
    """Read a case, or say why it is refused."""
    try:
        return plan(case, release), ""
    except RefusedError as refused:
        return {}, str(refused)


def agrees(values: Mapping[str, Any], theirs: Mapping[str, Any], processes: int) -> dict[str, tuple[Any, Any]]:
    """Return the differing settings by name: ours and theirs."""
    update = theirs["per_device_train_batch_size"] * processes * theirs["gradient_accumulation_steps"]
    whole = theirs["generation_batch_size"]
    period = update if theirs["steps_per_generation"] < theirs["gradient_accumulation_steps"] else whole
    high = theirs["epsilon"] if theirs["epsilon_high"] is None else theirs["epsilon_high"]
    layout = "disaggregated" if theirs["use_vllm"] and theirs["vllm_mode"] == "server" else "colocated"
    pairs = {
        "update": (values[B + "sequences_per_update"], update),
        "period": (values[B + "prompts_per_rollout"] * values[B + "responses_per_prompt"], period),
        "answers": (values[B + "responses_per_prompt"], theirs["num_generations"]),
        "passes": (values[B + "passes"], theirs["num_iterations"]),
        "rate": (values["stage.optim.actor.lr"], theirs["learning_rate"]),
        "penalty": (values[A + "kl_loss.coef"] or 0.0, theirs["beta"]),
        "low": (values[A + "policy_loss.clip_low"], theirs["epsilon"]),
        "high": (values[A + "policy_loss.clip_high"], high),
        "average": (values[A + "loss_agg"], AVERAGES[theirs["loss_type"]]),
        "deviation": (values[A + "std_scope"], {True: "group", False: "none"}.get(theirs["scale_rewards"], theirs["scale_rewards"])),
        "answer": (values["stage.length.response_max_tokens"], theirs["max_completion_length"]),
        "layout": (values["stage.placement.layout"], layout),
        "order": (values["stage.data.shuffle"], theirs["shuffle_dataset"]),
        "warm-up": (values["stage.optim.actor.warmup_updates"], theirs["warmup"]),
        "recomputed": (values["stage.model_options.gradient_checkpointing"], theirs["gradient_checkpointing"]),
        "rewards": (["first", "second"], theirs["reward_funcs"]),
    }  # fmt: skip
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


@pytest.mark.parametrize("release", RELEASES)
def test_batches_and_defaults_are_those_of_its_own_parser(release: str, tmp_path: Path) -> None:
    cases = [drawn(seed) for seed in range(DRAWN)]
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases))
    packages = [folder() / "releases" / f"trl-{release}"]
    answers = printed_by("trl_config.py", str(file), folders=packages, seconds=300)["answers"]
    accepted = 0
    for case, theirs in zip(cases, answers, strict=True):
        values, why = plan_or_refusal(case, release)
        if why:
            assert "refused" in theirs or "mix generations" in why, (case, theirs)
            continue
        assert "refused" not in theirs, (case, theirs["refused"])
        assert agrees(values, theirs, case["processes"]) == {}, case
        accepted += 1
    assert accepted > DRAWN / 5
