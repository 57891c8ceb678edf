"""JSON Schemas of frameworks' configs: sound, and of one mind with the loader about upstream's own examples."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from rftconf.cli.app import run
from rftconf.lint.editor import framework_schema
from rftconf.lint.rule import trinity
from rftconf.schemas import registry
from tests.lint.bases import as_yaml
from tests.sources import CORPUS

RELEASES = [(f.name, release) for f in registry.FRAMEWORKS.values() for release in f.releases]


@pytest.mark.parametrize(("framework", "release"), RELEASES)
def test_valid_under_the_meta_schema(framework: str, release: str) -> None:
    jsonschema.Draft202012Validator.check_schema(framework_schema(framework, release))


def problems(text: str, release: str = "0.6.0") -> list[str]:
    validator = jsonschema.Draft202012Validator(framework_schema("trinity", release))
    return [f"{'.'.join(map(str, e.path))}: {e.message[:120]}" for e in validator.iter_errors(yaml.safe_load(text))]


def test_what_it_accepts_and_refuses() -> None:
    # PyYAML reads 1e-6 as text, editors as a number
    good = as_yaml(trinity()).replace("1e-6", "0.000001")
    assert problems(good) == []
    (typo,) = problems(good.replace("repeat_times", "repeat_tmes"))
    assert "repeat_tmes" in typo
    (kind,) = problems(good.replace("repeat_times: 8", "repeat_times: many"))
    assert kind.startswith("algorithm.repeat_times")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of upstream examples is not beside the project")
def test_upstream_examples_pass() -> None:
    found = {}
    for file in sorted((CORPUS / "trinity").glob("*.yaml")):
        text = file.read_text()
        wrong = [p for p in problems(text) if "e-" not in p]
        if wrong:
            found[file.name] = wrong
    assert found == {}


def test_a_key_says_what_it_is() -> None:
    node = framework_schema("verl")["properties"]["data"]["properties"]["train_batch_size"]
    assert "batch.prompts_per_rollout" in node["description"]
    assert "Trinity-RFT: buffer.batch_size" in node["description"]
    assert node["default"] == 1024


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "trinity", "--from-release", "0.5.2"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Trinity-RFT 0.5.2"
    assert run(["schema", "settings", "-o", str(tmp_path / "s.json")]) == 0
    jsonschema.Draft202012Validator.check_schema(json.loads((tmp_path / "s.json").read_text()))
    assert run(["schema", "trinty"]) == 2
