"""The judges themselves: each accepts what its release accepts, and refuses what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.environment import TRINITY_TARGETS, VERL_TARGETS, Target
from tests.conformance.judging import Bench, Verdict
from tests.conformance.samples import (
    TRINITY_GOOD,
    TRINITY_GRPO,
    TRINITY_SLIPS,
    VERL_FLAWS,
    VERL_GOOD,
    VERL_GRPO,
    Flaw,
    Slip,
)


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def ask_verl(bench: Bench, target: Target, settings: dict[str, str]) -> Verdict:
    return bench.ask(target, {"overrides": [f"{key}={value}" for key, value in settings.items()]})


def ask_trinity(bench: Bench, target: Target, folder: Path, text: str) -> Verdict:
    file = folder / "config.yaml"
    file.write_text(text)
    return bench.ask(target, {"file": str(file)})


@pytest.mark.parametrize("target", VERL_TARGETS, ids=str)
@pytest.mark.parametrize("name", VERL_GOOD)
def test_verl_accepts(bench: Bench, target: Target, name: str) -> None:
    verdict = ask_verl(bench, target, VERL_GOOD[name])
    assert verdict.ok, str(verdict)
    assert verdict.config["actor_rollout_ref"]["model"]["path"] == "Qwen/Qwen2.5-7B-Instruct"
    assert verdict.config["data"]["train_batch_size"] == 256


@pytest.mark.parametrize("target", VERL_TARGETS, ids=str)
@pytest.mark.parametrize("name", VERL_FLAWS)
def test_verl_refuses(bench: Bench, target: Target, name: str) -> None:
    flaw: Flaw = VERL_FLAWS[name]
    verdict = ask_verl(bench, target, VERL_GRPO | flaw.change)
    if number(flaw.since) <= number(target.release) < number(flaw.until):
        assert not verdict.ok
        assert (flaw.stage or verdict.stage) == verdict.stage, str(verdict)
        assert flaw.says in verdict.error
    elif flaw.ok_elsewhere:
        assert verdict.ok, str(verdict)


@pytest.mark.parametrize("target", TRINITY_TARGETS, ids=str)
@pytest.mark.parametrize("name", TRINITY_GOOD)
def test_trinity_accepts(bench: Bench, target: Target, name: str, tmp_path: Path) -> None:
    verdict = ask_trinity(bench, target, tmp_path, TRINITY_GOOD[name])
    assert verdict.ok, str(verdict)
    assert verdict.config["loaded"]["buffer"]["batch_size"] == 96
    (checked,) = verdict.config["checked"]
    assert checked["algorithm"]["algorithm_type"] == name


@pytest.mark.parametrize("target", TRINITY_TARGETS, ids=str)
@pytest.mark.parametrize("name", TRINITY_SLIPS)
def test_trinity_refuses(bench: Bench, target: Target, name: str, tmp_path: Path) -> None:
    slip: Slip = TRINITY_SLIPS[name]
    assert TRINITY_GRPO.count(slip.old) >= 1
    verdict = ask_trinity(bench, target, tmp_path, TRINITY_GRPO.replace(slip.old, slip.new))
    checked = number(target.beside) < number(slip.worker_since_verl)
    assert not verdict.ok
    assert verdict.stage == (slip.stage if checked else "worker"), str(verdict)
    assert slip.says in verdict.error
