"""What `rftconf new` writes for a release is accepted by that release, for every recipe that it can express."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.recipes.recipes import RECIPES
from tests.conformance.conftest import OUTCOME
from tests.conformance.conversions import judge
from tests.conformance.environment import TARGETS, Target
from tests.conformance.judging import Bench

WRITTEN, REFUSED = 0, 3
LEAST = {"verl": 3, "trinity": 3, "roll": 3, "chatlearn": 1}
"""Recipes that even a framework's oldest release expresses."""

NEED_NO_EVALUATION = ("trinity", "roll")


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_new_configs_are_accepted(
    bench: Bench, target: Target, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    verdicts: dict[str, str] = {}
    suffix = "sh" if target.framework == "verl" else "yaml"
    for name in RECIPES:
        file = tmp_path / f"{name.replace('+', 'p')}.{suffix}"
        options = ["--framework", target.framework, "--release", target.release, "--algorithm", name]
        sizes = ["--model", "Qwen/Qwen2.5-7B-Instruct", "--gpus", "8", "--gpu", "h100-80g"]
        rows = ["--data", "/data/train.parquet", "--eval-data", "/data/test.parquet", "--rows", "102400"]
        code = run(["new", *options, *sizes, *rows, "-q", "-o", str(file)])
        assert code in (WRITTEN, REFUSED), name
        if code == WRITTEN:
            verdicts[name] = str(judge(bench, target, file, tmp_path))
        if code == WRITTEN and target.framework in NEED_NO_EVALUATION:
            assert run(["new", *options, *sizes, *rows[:2], "-q", "--force", "-o", str(file)]) == WRITTEN
            verdicts[f"{name} alone"] = str(judge(bench, target, file, tmp_path))
    accepted = sum(text == "accepted" for text in verdicts.values())
    record_property(OUTCOME, ("new", str(target), {"accepted": accepted, "rejected": len(verdicts) - accepted}))
    assert {name: text for name, text in verdicts.items() if text != "accepted"} == {}
    assert len(verdicts) >= LEAST[target.framework]
