"""Trinity-RFT's start judge: what stops the run between the loader and the first step stops the judge."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conformance.environment import TRINITY_TARGETS, Target
from tests.conformance.judging import Bench
from tests.conformance.samples import TRINITY_GRPO

STARTED = [target for target in TRINITY_TARGETS if target.release == "0.6.0" and target.beside == "0.8.0"]


@dataclass(frozen=True, slots=True)
class Break:
    """What of `old` becomes `new`, and where and with what words the run stops."""

    old: str
    new: str
    stage: str
    says: str


ALGORITHM, ENGINES = "algorithm:\n", "rollout_model: {engine_num: 2,"
BREAKS = {
    "an argument that the engine lacks": Break(
        ENGINES, f"{ENGINES} extra_engine_args: {{no_such: 1}},", "names", "no_such"
    ),
    "an argument that the sample strategy lacks": Break(
        ALGORITHM, f"{ALGORITHM}  sample_strategy_args: {{no_such: 1}}\n", "names", "no_such"
    ),
    "an argument that the advantages lack": Break(
        ALGORITHM, f"{ALGORITHM}  advantage_fn_args: {{no_such: 1}}\n", "names", "no_such"
    ),
    "an adapter on layers that the model lacks": Break(
        "model:\n", "model:\n  lora_configs: [{name: a, target_modules: no_such_proj}]\n", "worker", "no_such_proj"
    ),
}


@pytest.mark.parametrize("target", STARTED, ids=str)
@pytest.mark.parametrize("name", BREAKS)
def test_what_stops_the_run_stops_the_judge(bench: Bench, target: Target, name: str, tmp_path: Path) -> None:
    mutation = BREAKS[name]
    assert mutation.old in TRINITY_GRPO
    file = tmp_path / "config.yaml"
    file.write_text(TRINITY_GRPO.replace(mutation.old, mutation.new))
    verdict = bench.ask(target, {"file": str(file), "starts": True})
    assert (verdict.ok, verdict.stage) == (False, mutation.stage), str(verdict)
    assert mutation.says in verdict.error
