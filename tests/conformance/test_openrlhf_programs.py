"""OpenRLHF's own program judges what is written for it: its parser and its checks accept every golden case in every release."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.cli.app import run
from rftconf.convert.convert import Options, convert_stage
from rftconf.load.base_files import base_files_of
from rftconf.load.load import load, main_stage
from rftconf.recipes.recipes import RECIPES
from rftconf.schemas import catalogue, registry
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source
from tests.conformance.environment import ROOT, folder, printed_by

OPEN = ROOT / "golden" / "open"
FOLDERS = sorted(OPEN.glob("*-to-openrlhf"))
RELEASES = [name for name in registry.OPENRLHF.releases if (folder() / "releases" / f"openrlhf-{name}").is_dir()]
NEWEST = registry.OPENRLHF.releases[-1]
DECISIONS = {
    **dict.fromkeys(("data.max_len", "max_len", "prompt_max_len"), "4096"),
    **dict.fromkeys(("reward.remote_url", "remote_rm_url"), "/code/reward.py"),
}
"""Values for the keys that a conversion to OpenRLHF leaves open."""
LEAST = 4
"""Recipes that even the oldest release expresses."""
ACCEPTED = OPEN / "verl-to-openrlhf" / "expected.sh"
WRONG = {
    "an unknown flag": ("--rollout.n_samples_per_prompt 8", "--rollout.samples 8", "unrecognized arguments"),
    "a bad choice": ("--algo.advantage.estimator group_norm", "--algo.advantage.estimator grpo", "invalid choice"),
    "a word for a number": ("--train.batch_size 2048", "--train.batch_size many", "invalid int value"),
    "one answer a prompt": ("n_samples_per_prompt 8", "n_samples_per_prompt 1", "requires n_samples_per_prompt > 1"),
    "too many engines": ("--vllm.num_engines 4", "--vllm.num_engines 5", "vllm_num_engines * vllm_tensor_parallel_size"),
    "other GPUs for the reference": ("--ref.num_nodes 1", "--ref.num_nodes 2", "when colocate actor and ref model"),
}  # fmt: skip
"""Changes to an accepted script that the program refuses: the old text, the new one, and words of its refusal."""


def decided(script: str) -> str:
    """Write a decision for every flag that is left open."""
    for key, value in DECISIONS.items():
        script = script.replace(f"--{key} '???'", f"--{key} {value}")
    assert "'???'" not in script, script
    return script


def answers(release: str, scripts: Sequence[str], tmp_path: Path) -> list[dict[str, Any]]:
    """Ask the program of a release about scripts."""
    file = tmp_path / "scripts.json"
    file.write_text(json.dumps(scripts))
    packages = [folder() / "releases" / f"openrlhf-{release}"]
    replies: list[dict[str, Any]] = printed_by("openrlhf_start.py", str(file), folders=packages, seconds=300)["answers"]
    return replies


def converted(release: str) -> Iterator[tuple[str, str]]:
    """Name and script of every golden input, written for a release; some releases lack what a source has, and refuse it."""
    for case in FOLDERS:
        loaded = load(read(open_source(next(case.glob("input.*"))), ReadOptions(ships=base_files_of)))
        try:
            done = convert_stage(loaded, main_stage(loaded), registry.OPENRLHF, Options(to_release=release))
        except RefusedError:
            assert release != NEWEST, case.name
            continue
        yield case.name, decided(done.text)


def test_every_golden_output_is_accepted(tmp_path: Path) -> None:
    scripts = {case.name: decided((case / "expected.sh").read_text()) for case in FOLDERS}
    replies = answers(NEWEST, list(scripts.values()), tmp_path)
    assert len(replies) >= 10
    assert {name: r["refused"] for name, r in zip(scripts, replies, strict=True) if "refused" in r} == {}


@pytest.mark.parametrize("release", RELEASES)
def test_what_is_written_for_a_release_is_accepted_by_it(release: str, tmp_path: Path) -> None:
    scripts = dict(converted(release))
    replies = answers(release, list(scripts.values()), tmp_path)
    assert len(replies) > len(FOLDERS) / 2
    assert {name: r["refused"] for name, r in zip(scripts, replies, strict=True) if "refused" in r} == {}


def first_configs(release: str, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Name and script of what `rftconf new` writes for a release; a recipe that it lacks is refused."""
    sizes = ["--model", "Qwen/Qwen2.5-7B-Instruct", "--gpus", "8", "--gpu", "h100-80g"]
    rows = ["--data", "/data/train", "--eval-data", "/data/test", "--rows", "102400"]
    for name in RECIPES:
        file = tmp_path / f"{name.replace('+', 'p')}.sh"
        options = ["--framework", "openrlhf", "--release", release, "--algorithm", name]
        code = run(["new", *options, *sizes, *rows, "-q", "-o", str(file)])
        assert code == 0 or (code == 3 and release != NEWEST), name
        if code == 0:
            yield name, decided(file.read_text())


@pytest.mark.parametrize("release", RELEASES)
def test_first_configs_are_accepted(release: str, tmp_path: Path) -> None:
    scripts = dict(first_configs(release, tmp_path))
    replies = answers(release, list(scripts.values()), tmp_path)
    assert len(replies) >= LEAST
    assert {name: r["refused"] for name, r in zip(scripts, replies, strict=True) if "refused" in r} == {}


@pytest.mark.parametrize("release", RELEASES)
def test_its_parser_has_the_flags_that_the_catalogue_names(release: str, tmp_path: Path) -> None:
    (script, *_) = dict(converted(release)).values()
    (reply,) = answers(release, [script], tmp_path)
    keys = set(catalogue.load("openrlhf", release).keys)
    # a flag that turns another one off has no value of its own
    offs = {key for key in keys if ".no_" in key and key.replace(".no_", ".") in keys}
    assert set(reply["arguments"]) == keys - offs


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_script_is_refused(what: str, tmp_path: Path) -> None:
    old, new, message = WRONG[what]
    script = decided(ACCEPTED.read_text())
    assert old in script
    (reply,) = answers(NEWEST, [script.replace(old, new)], tmp_path)
    assert message in reply.get("refused", "accepted")
