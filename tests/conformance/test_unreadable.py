"""Where `rftconf check` cannot parse a part of an example, its own framework does not start with it either."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from tests.conformance.environment import TARGETS, VERL_TARGETS
from tests.conformance.judging import Bench
from tests.conformance.sources import sources
from tests.corpus import VERL_SETS, Real
from tests.sources import CORPUS

PROCESSES = 8
SETS = [name for name in sources() if name in VERL_SETS]


def errors(real: Real, folder: Path) -> list[dict[str, Any]]:
    """What `rftconf check` calls an error in an example."""
    path = folder / "found.json"
    options = ["--from", real.framework, "--from-release", real.release, *real.options]
    run(["check", str(real.write(folder)), *options, "--output", f"json={path}", "--quiet"])
    return [entry for entry in json.loads(path.read_text()) if entry["severity"] == "error"]


def unparsed(real: Real, folder: Path) -> bool:
    return any(error["code"].startswith("SYN") for error in errors(real, folder))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus of upstream examples beside the project")
@pytest.mark.parametrize("name", SETS)
def test_verl_refuses_its_own_unreadable_scripts(bench: Bench, name: str, tmp_path: Path) -> None:
    file, release = VERL_SETS[name]
    target = next(target for target in VERL_TARGETS if target.release == release)
    lines = map(json.loads, (CORPUS / "verl_argv" / f"{file}.jsonl").read_text().splitlines())
    words = {line["id"]: line["overrides"] for line in lines}
    values = [real.name for real in sources()[name] if unparsed(real, tmp_path)]
    questions = {
        name: {"program": "verl.trainer.main_ppo", "overrides": words[name], "processes": PROCESSES} for name in values
    }
    assert values
    assert [entry for entry, case in questions.items() if bench.ask(target, case).ok] == []


@pytest.mark.skipif("ChatLearn files" not in sources(), reason="no corpus of upstream examples beside the project")
def test_chatlearn_refuses_its_own_unreadable_template(bench: Bench, tmp_path: Path) -> None:
    target = next((target for target in TARGETS if str(target).startswith("chatlearn 2025")), None)
    if target is None:
        pytest.skip("no checkout of ChatLearn")
    reals = [
        real
        for real in sources()["ChatLearn files"]
        if any("must be given" in error["message"] for error in errors(real, tmp_path))
    ]
    assert [real.name for real in reals] == ["template__grpo_megatron"]
    for real in reals:
        assert "seq_length" in bench.ask(target, {"file": str(real.write(tmp_path))}).error
