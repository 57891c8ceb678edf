"""JSON Schemas of frameworks' configs: sound, and of one mind with the loader about upstream's own examples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from rftconf.cli.app import run
from rftconf.lint.key_help import framework_schema
from rftconf.lint.rule import trinity
from rftconf.schemas import registry
from tests.conformance.environment import folder
from tests.lint.bases import as_yaml
from tests.sources import CORPUS, PACKAGE

RELEASES = [(f.name, release) for f in registry.FRAMEWORKS.values() for release in f.releases]


CHECKED: set[str] = set()
"""The parts of schemas that were checked already: releases have most of theirs in common."""


def check_schema(schema: Any) -> None:
    """Check a schema under the meta-schema: by itself, its properties standing for any, and each of these."""
    parts = schema.get("properties") if isinstance(schema, dict) else None
    alone = {**schema, "properties": dict.fromkeys(parts, True)} if isinstance(parts, dict) else schema
    text = json.dumps(alone, sort_keys=True)
    if text not in CHECKED:
        jsonschema.Draft202012Validator.check_schema(alone)
        CHECKED.add(text)
    for part in parts.values() if isinstance(parts, dict) else ():
        check_schema(part)


@pytest.mark.parametrize(("framework", "release"), RELEASES)
def test_valid_under_the_meta_schema(framework: str, release: str) -> None:
    check_schema(framework_schema(framework, release))


def test_a_part_that_is_no_schema_is_seen() -> None:
    with pytest.raises(jsonschema.SchemaError):
        check_schema({"properties": {"a": {"properties": {"b": {"type": "letters"}}}}})


def problems(text: str, release: str | None = "0.6.0", framework: str = "trinity", trainer: str = "") -> list[str]:
    """What an editor would underline: it reads YAML 1.2, in which 1e-6 is a number."""
    validator = jsonschema.Draft202012Validator(framework_schema(framework, release, trainer))
    data = YAML(typ="safe", pure=True).load(text)
    return [f"{'.'.join(map(str, e.path))}: {e.message[:120]}" for e in validator.iter_errors(data)]


def test_what_it_accepts_and_refuses() -> None:
    good = as_yaml(trinity())
    assert problems(good) == []
    (typo,) = problems(good.replace("repeat_times", "repeat_tmes"))
    assert "repeat_tmes" in typo
    (kind,) = problems(good.replace("repeat_times: 8", "repeat_times: many"))
    assert kind.startswith("algorithm.repeat_times")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of upstream examples is not beside the project")
@pytest.mark.parametrize("framework", ["trinity", "roll", "chatlearn"])
def test_upstream_examples_pass(framework: str) -> None:
    texts = {file.name: file.read_text() for file in sorted((CORPUS / framework).glob("*.yaml"))}
    configs = {name: text for name, text in texts.items() if text.strip("\n# ")}
    assert len(configs) > 15
    values = {name: wrong for name, text in configs.items() if (wrong := problems(text, None, framework))}
    assert values == {}


PUBLISHED = sorted((folder() / "releases").glob("verl-*/verl/trainer/config/_generated_ppo_*trainer.yaml"))


@pytest.mark.skipif(not PUBLISHED, reason="the published packages are not there: make conformance-env")
@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: f"{file.parts[-5]}-{file.stem}")
def test_verls_own_config_passes(file: Path) -> None:
    """veRL publishes its composed configs; the examples are scripts, which have no schema."""
    release = file.parts[-5].removeprefix("verl-")
    trainer = file.stem.removeprefix("_generated_ppo_").removesuffix("trainer").strip("_")
    known = registry.framework("verl")
    if release not in known.releases or (trainer and trainer not in known.trainers_of(release)):
        pytest.skip("no catalogue of this release or trainer")
    assert problems(file.read_text(), release, "verl", trainer) == []


def leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for child in [*node.get("properties", {}).values(), *(x for x in (node.get("items"),) if x)]:
        yield from leaves(child)
        if "properties" not in child:
            yield child


@pytest.mark.parametrize("framework", registry.FRAMEWORKS)
def test_schemas_give_completion_and_hover(framework: str) -> None:
    """What editors show comes from descriptions, defaults, and lists of values."""
    schema = framework_schema(framework)
    every = list(leaves(schema))
    described = [leaf for leaf in every if leaf.get("description")]
    assert len(described) > 0.4 * len(every)
    assert sum("default" in leaf for leaf in every) > 0.3 * len(every)
    listed = [leaf for leaf in every if leaf.get("examples") or any("enum" in entry for entry in leaf.get("anyOf", ()))]
    assert len(listed) >= (0 if framework in ("chatlearn", "trl") else 3)  # these two declare no lists of values
    assert any("Trinity-RFT: " in leaf["description"] for leaf in described) or framework == "trinity"


def test_an_interpolation_may_stand_for_a_section() -> None:
    text = as_yaml(trinity())
    assert problems(text[: text.index("model:")] + "model: ${oc.env:MODEL}\n") == []
    assert problems(text[: text.index("model:")] + "model: large\n") != []


def test_the_plans_schema_is_sound() -> None:
    schema = json.loads((PACKAGE / "plan" / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


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
