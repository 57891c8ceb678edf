"""Where rftconf refuses, the target really cannot run it: the value is forced by hand, and its own loader or code says no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from rftconf.schemas.registry import CHATLEARN, ROLL, TRINITY
from tests.conformance.cases import DECISIONS
from tests.conformance.conversions import decide, judge
from tests.conformance.environment import TARGETS, VERL_TARGETS, Target, folder
from tests.conformance.judging import Bench
from tests.conformance.samples import TRINITY_GRPO, VERL_GRPO, VERL_MEGATRON
from tests.sources import ROOT

GOLDEN = ROOT / "golden"
ROLL_BASE = GOLDEN / "open" / "roll-single-from-trinity" / "expected.yaml"
CHATLEARN_BASE = GOLDEN / "convert" / "trinity-to-chatlearn" / "expected.yaml"


@dataclass(frozen=True, slots=True)
class Forced:
    """What rftconf refuses (`refusal` is in its sentence), and the replacements that write it all the same."""

    refusal: str
    changes: dict[str, str]
    until: str = "99"


TRINITY_FORCED = (
    Forced("no split of", {"engine_num: 2": "engine_num: 8"}),
    Forced("not whole nodes", {"node_num: 1": "node_num: 2", "engine_num: 2": "engine_num: 4"}),
    Forced("sequences an update cannot be shared by", {"batch_size: 96": "batch_size: 97"}),
    Forced("no multiple of", {"batch_size: 96": "batch_size: 92"}, until="0.4.1"),
    Forced(
        "cannot share one GPU between engine and trainer",
        {"gpu_per_node: 8": "gpu_per_node: 1", "engine_num: 2": "engine_num: 1"},
        until="0.5.2",
    ),
)
VERL_FORCED = {
    "an update takes": VERL_GRPO | {"actor_rollout_ref.actor.ppo_mini_batch_size": "512"},
    "whole copies of its experts": VERL_MEGATRON | {"actor_rollout_ref.actor.megatron.expert_model_parallel_size": "8"},
}
ROLL_FORCED = (
    Forced("cannot be shared by", {"device_mapping: list(range(0,4))": "device_mapping: list(range(0,3))"}),
    Forced("no whole number of updates", {"gradient_accumulation_steps: 128": "gradient_accumulation_steps: 96"}),
)
CHATLEARN_FORCED = (
    Forced("not a multiple of", {"train_global_batch_size: 256": "train_global_batch_size: 300"}),
    Forced("not a whole number of data-parallel ranks", {"num_gpu: 4 ": "num_gpu: 3 "}),
)


@dataclass(frozen=True, slots=True)
class Cited:
    """What rftconf refuses, and what the sources of the target have, or lack, below `path`."""

    refusal: str
    framework: str
    path: str
    pattern: str
    there: bool


CITED = (
    Cited("the source trains a critic", CHATLEARN.name, "chatlearn/algorithm", r"(?i)critic|value_model", there=False),
    Cited(
        "the FSDP trainer has the token-level ratio",
        CHATLEARN.name,
        "chatlearn/models/fsdp_module.py",
        "gspo",
        there=False,
    ),
    Cited("a group of one has advantage", CHATLEARN.name, "chatlearn/algorithm", r"- mean\(?|- .*mean", there=True),
    Cited("this is a sft run", CHATLEARN.name, "chatlearn/entrypoint.py", r"(?i)\bsft\b|\bdpo\b", there=False),
)


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def of(framework: str) -> list[Target]:
    return [target for target in TARGETS if target.framework == framework]


def check_forced(bench: Bench, target: Target, text: str, forced: Forced, scratch: Path) -> None:
    """The base is accepted, and refused with the forced values in it."""
    asked = scratch / "forced.yaml"
    for changes in ({}, forced.changes):
        changed = text
        for old, new in changes.items():
            assert old in changed
            changed = changed.replace(old, new)
        asked.write_text(changed)
        assert decide(target, asked, DECISIONS) == []
        verdict = judge(bench, target, asked, scratch)
        assert verdict.ok is not bool(changes), f"{changes}: {verdict}"


@pytest.mark.parametrize("target", of(TRINITY.name), ids=str)
@pytest.mark.parametrize("forced", TRINITY_FORCED, ids=lambda forced: forced.refusal)
def test_trinity_cannot(bench: Bench, target: Target, forced: Forced, tmp_path: Path) -> None:
    if number(target.release) > number(forced.until):
        pytest.skip(f"{target} can, and rftconf does not refuse it there")
    check_forced(bench, target, TRINITY_GRPO, forced, tmp_path)


@pytest.mark.parametrize("target", VERL_TARGETS, ids=str)
@pytest.mark.parametrize("refusal", VERL_FORCED)
def test_verl_cannot(bench: Bench, target: Target, refusal: str) -> None:
    verdict = bench.ask(target, {"overrides": [f"{key}={value}" for key, value in VERL_FORCED[refusal].items()]})
    assert not verdict.ok


@pytest.mark.parametrize("target", of(ROLL.name)[-1:], ids=str)
@pytest.mark.parametrize("forced", ROLL_FORCED, ids=lambda forced: forced.refusal)
def test_roll_cannot(bench: Bench, target: Target, forced: Forced, tmp_path: Path) -> None:
    check_forced(bench, target, ROLL_BASE.read_text(), forced, tmp_path)


@pytest.mark.parametrize("target", of(CHATLEARN.name)[-1:], ids=str)
@pytest.mark.parametrize("forced", CHATLEARN_FORCED, ids=lambda forced: forced.refusal)
def test_chatlearn_cannot(bench: Bench, target: Target, forced: Forced, tmp_path: Path) -> None:
    check_forced(bench, target, CHATLEARN_BASE.read_text(), forced, tmp_path)


@pytest.mark.parametrize("cited", CITED, ids=lambda cited: cited.refusal)
def test_the_sources_say_so(cited: Cited) -> None:
    targets = of(cited.framework)
    if not targets:
        pytest.skip(f"no checkout of {cited.framework}")
    for target in targets:
        place = folder() / "releases" / f"{target.framework}-{target.release}" / cited.path
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        assert files
        found = [file.name for file in files if re.search(cited.pattern, file.read_text())]
        assert bool(found) is cited.there, f"{target}: {found}"
