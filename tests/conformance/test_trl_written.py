"""TRL's own parser, and its launcher's, judge what is written for it: batches, losses and processes are those of the source's plan."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from rftconf.convert.convert import Conversion, Options, convert_stage
from rftconf.load.load import load, main_stage
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.conformance.environment import GOLDEN, folder, printed_by
from tests.conformance.test_trl_configs import RELEASES, agrees

SOURCES = ("readme", "dapo", "gspo", "lora", "multi-node", "megatron-moe", "run-ahead", "multi-dataset", "roll-single-to-verl",
           "roll-megatron-to-verl", "chatlearn-grpo", "trinity-to-chatlearn", "separate-async")  # fmt: skip
"""Golden inputs of the other four, with colocated and separate engines, Megatron, LoRA and several nodes."""
FILLED = "[accuracy_reward]"
"""A person writes this for the rewards, which a conversion leaves open."""
NOT_COMPARED = {"rewards", "warm-up"}
FIRST_CONFIGS = {
    "grpo-whole": ("grpo", "Qwen/Qwen2.5-7B-Instruct", 8, 1),
    "grpo-sharded": ("grpo", "Qwen/Qwen3-32B", 64, 8),
    "gspo-whole": ("gspo", "Qwen/Qwen2.5-7B-Instruct", 24, 3),
}
"""Recipe, model, GPUs and machines of what `rftconf new` is asked for."""
HAS_GSPO = "0.20.0"
"""The first catalogued release with a ratio of whole answers."""
AVERAGES_UPDATES = "1.10.0"
"""The first catalogued release whose mean over tokens is one update's (DIA405)."""
REFUSED = 3


def converted(name: str, release: str) -> Conversion:
    """Write a golden input for a release of TRL."""
    file = next((GOLDEN / name).glob("input.*"))
    loaded = load(read(Source(file.name, file.read_text())))
    return convert_stage(loaded, main_stage(loaded), registry.TRL, Options(to_release=release))


def cases(release: str) -> Iterator[tuple[str, Conversion, dict[str, Any]]]:
    """Name, conversion and what the judge is given."""
    for name in SOURCES:
        done = converted(name, release)
        text = done.text.replace("reward_funcs: ???", f"reward_funcs: {FILLED}")
        processes = done.loaded.stages[-1].values["stage.placement.actor.gpus"]
        yield name, done, {"processes": processes, "arguments": ["--use_cpu", "True"], "config": text, "launched": True}


def differing(values: Mapping[str, Any], theirs: Mapping[str, Any], processes: int) -> dict[str, tuple[Any, Any]]:
    """Return what differs, by name, of what the source tells: its plan's number and TRL's own."""
    launcher = theirs["launcher"]
    more = {
        "processes": (processes, launcher["num_processes"]),
        "decay": (values.get("stage.optim.actor.weight_decay"), theirs["weight_decay"]),
        "temperature": (values["stage.sampling.train.temperature"], theirs["temperature"]),
    }
    pairs = {
        **agrees(defaultdict(lambda: None, values), theirs, processes),
        **{name: pair for name, pair in more.items() if pair[0] != pair[1]},
    }
    return {name: pair for name, pair in pairs.items() if name not in NOT_COMPARED and pair[0] is not None}


@pytest.mark.parametrize("release", RELEASES)
def test_what_is_written_is_what_its_own_parser_and_launcher_read(release: str, tmp_path: Path) -> None:
    written = list(cases(release))
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([case for *_, case in written]))
    packages = [folder() / "releases" / f"trl-{release}"]
    answers = printed_by("trl_config.py", str(file), folders=packages, seconds=300)["answers"]
    problems = {}
    for (name, done, case), theirs in zip(written, answers, strict=True):
        if "refused" in theirs:
            problems[name] = theirs["refused"]
        elif different := differing(done.loaded.stages[-1].values, theirs, case["processes"]):
            problems[name] = different
    assert problems == {}


def exit_code(release: str, recipe: str) -> int:
    """The exit code of `rftconf new`: 1 where what is written is warned about, 3 where the release lacks the recipe."""
    place = RELEASES.index(release)
    if recipe == "gspo":
        return REFUSED if place < RELEASES.index(HAS_GSPO) else 0
    return int(place < RELEASES.index(AVERAGES_UPDATES))


def first_configs(release: str, tmp_path: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Name, plan and judge's case of what `rftconf new` writes for a release; a recipe that it lacks is refused."""
    for name, (recipe, model, gpus, _) in FIRST_CONFIGS.items():
        file = tmp_path / f"{name}.yaml"
        sizes = ["--model", model, "--gpus", str(gpus), "--gpu", "h100-80g"]
        rows = ["--data", "/data/train.parquet", "--eval-data", "/data/test.parquet", "--rows", "102400"]
        options = ["--framework", "trl", "--release", release, "--algorithm", recipe, *sizes, *rows]
        code, expected = run(["new", *options, "-q", "-o", str(file)]), exit_code(release, recipe)
        assert code == expected, name
        if code < REFUSED:
            text = file.read_text()
            values = load(read(Source(file.name, text)), framework="trl", release=release).stages[0].values
            filled = text.replace("reward_funcs: ???", f"reward_funcs: {FILLED}")
            yield (
                name,
                values,
                {"processes": gpus, "arguments": ["--use_cpu", "True"], "config": filled, "launched": True},
            )


@pytest.mark.parametrize("release", RELEASES)
def test_first_configs_are_what_its_own_parser_and_launcher_read(release: str, tmp_path: Path) -> None:
    written = list(first_configs(release, tmp_path))
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([case for *_, case in written]))
    packages = [folder() / "releases" / f"trl-{release}"]
    answers = printed_by("trl_config.py", str(file), folders=packages, seconds=300)["answers"]
    problems = {}
    for (name, values, case), theirs in zip(written, answers, strict=True):
        if "refused" in theirs:
            problems[name] = theirs["refused"]
            continue
        stage, machines = values["stage.placement.actor.zero_stage"], FIRST_CONFIGS[name][-1]
        launcher = {key: theirs["launcher"][key] for key in ("use_deepspeed", "zero_stage", "num_machines")}
        expected = {"use_deepspeed": True, "zero_stage": stage, "num_machines": machines}
        different = differing(values, theirs, case["processes"])
        if different or launcher != expected:
            problems[name] = different, launcher
    assert problems == {}
