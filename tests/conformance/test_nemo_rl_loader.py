"""NeMo-RL's own loader judges what is read and written for it: its values are those that are read, and it takes every output."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rftconf.base.symbols import is_symbolic
from rftconf.budget.facts.gpus import gpu_named
from rftconf.load.load import load, main_stage
from rftconf.recipes.draft import Request
from rftconf.recipes.recipes import RECIPES
from rftconf.recipes.sizing import fit
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source
from tests.conformance.environment import ROOT, folder, printed_by

OPEN = ROOT / "golden" / "open"
WRITTEN = sorted(OPEN.glob("*-to-nemo_rl"))
CHECKOUTS = {
    name: path for name in registry.NEMO_RL.releases if (path := folder() / "releases" / f"nemo_rl-{name}").is_dir()
}
"""Releases that lie unpacked from their tags."""
NEWEST = registry.NEMO_RL.newest
OPEN_VALUES = {
    "policy.scheduler": "[{name: torch.optim.lr_scheduler.ConstantLR, kwargs: {factor: 1.0}}, {milestones: []}]",
    "loss_fn.token_level_loss": "true",
}
"""Values for the keys that a conversion leaves open; any other gets a number."""
needs_newest = pytest.mark.skipif(NEWEST not in CHECKOUTS, reason="no checkout of NeMo-RL's newest release")


def answers(release: str, items: Sequence[Mapping[str, str]], tmp_path: Path) -> list[dict[str, Any]]:
    """Ask the loader of a release."""
    file = tmp_path / "items.json"
    file.write_text(json.dumps(items))
    replies: list[dict[str, Any]] = printed_by(
        "nemo_rl_start.py", str(CHECKOUTS[release]), str(file), folders=[], seconds=300
    )["answers"]
    return replies


def decided(script: str) -> str:
    """Write a value for every key that is left open."""
    for key, value in OPEN_VALUES.items():
        script = script.replace(f"'{key}=???'", f"'{key}={value}'")
    return script.replace("???", "4096")


@needs_newest
def test_every_golden_output_is_taken(tmp_path: Path) -> None:
    scripts = {case.name: decided((case / "expected.sh").read_text(encoding="utf-8")) for case in WRITTEN}
    replies = answers(NEWEST, [{"script": script} for script in scripts.values()], tmp_path)
    assert len(replies) >= 10
    assert {name: r["refused"] for name, r in zip(scripts, replies, strict=True) if "refused" in r} == {}


@needs_newest
def test_first_configs_are_taken(tmp_path: Path) -> None:
    gpu, scripts = gpu_named("h100-80g"), {}
    for algorithm in ("grpo", "rloo", "reinforce++", "gspo"):
        recipe, model = RECIPES[algorithm], "Qwen/Qwen2.5-7B-Instruct"
        request = Request("nemo_rl", NEWEST, recipe, model, 8, "h100-80g", data="a.jsonl", eval_data="b.jsonl")
        scripts[algorithm] = fit(request, gpu).written.text()[0]
    replies = answers(NEWEST, [{"script": script} for script in scripts.values()], tmp_path)
    assert {name: r["refused"] for name, r in zip(scripts, replies, strict=True) if "refused" in r} == {}


@needs_newest
def test_null_is_refused_where_a_number_is_declared(tmp_path: Path) -> None:
    """MasterConfig is a model of pydantic since 0.7.0; a number that no run reaches stands for no limit."""
    scripts = [
        f"uv run python examples/run_grpo.py checkpointing.keep_top_k={value}\n" for value in ("null", "1000000")
    ]
    refused, taken = answers(NEWEST, [{"script": script} for script in scripts], tmp_path)
    assert "keep_top_k" in refused["refused"]
    assert taken["config"]["checkpointing"]["keep_top_k"] == 1_000_000


@needs_newest
def test_a_key_that_the_base_config_lacks_is_refused_without_plus(tmp_path: Path) -> None:
    script = "uv run python examples/run_grpo.py grpo.own_key=1\n"
    (reply,) = answers(NEWEST, [{"script": script}], tmp_path)
    assert "own_key" in reply["refused"]


def flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Leaves of a config; a list is one."""
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


@pytest.mark.parametrize("release", CHECKOUTS)
def test_values_are_those_of_the_loader(release: str, tmp_path: Path) -> None:
    checkout = CHECKOUTS[release]
    configs = sorted((checkout / "examples" / "configs").rglob("*grpo*.yaml"))
    replies = answers(release, [{"config": str(path.relative_to(checkout))} for path in configs], tmp_path)
    assert len(configs) > 10
    texts = {str(path): path.read_text(encoding="utf-8") for path in (checkout / "examples").rglob("*.yaml")}
    assert sum("refused" in reply for reply in replies) <= 2  # a recipe may name a file that the tag lacks
    for path, reply in zip(configs, replies, strict=True):
        if "refused" in reply:
            continue
        native = main_stage(
            load(read(open_source(path), ReadOptions(sources=texts)), framework="nemo_rl", release=release)
        ).reading.source
        differing = {
            key: (native.value(key), value)
            for key, value in flat(reply["config"])
            if key in native.cells and not isinstance(value, list | dict) and not is_symbolic(native.value(key))
            if native.value(key) != value and value != "None"  # a text that the code takes for nothing
        }
        assert differing == {}, path.name
